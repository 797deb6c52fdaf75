/** WebSockets: echo, and broadcast to 500, against the package `ws` by hand. See README.md. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort, PINNED } from './lib/processes.js';
import { describeMachine, median, positive, table } from './lib/report.js';

const TEXT = 'x'.repeat(64);
/** A masked frame of the client, the mask being zero, and the length of the frame that comes back. */
const FRAME = Buffer.concat([Buffer.from([0x81, 0x80 | TEXT.length, 0, 0, 0, 0]), Buffer.from(TEXT)]);
const ANSWER = 2 + TEXT.length;
const SUBJECTS = ['apps/ws.js', 'apps/fwk/ws/main.js'];
const SCENARIOS = [
  // One who sends, few at a time; all get it.
  { name: 'broadcast to 500', path: '/ws/room', connections: 500, senders: 1, ahead: 4 },
  { name: 'echo', path: '/ws/echo', connections: 64, senders: 64, ahead: 8 },
];

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '7' }, seconds: { type: 'string', default: '2' } },
});
const rounds = positive('rounds', values.rounds);
const seconds = positive('seconds', values.seconds);
if (PINNED) spawnSync('taskset', ['-a', '-p', '-c', '1', String(process.pid)]);

console.log(`${describeMachine(['fwkit', 'ws'])}\n`);
const rows = [['scenario', 'messages/s ×ws', 'CPU/message ×ws']];
for (const scenario of SCENARIOS) {
  const servers = await Promise.all(SUBJECTS.map((file) => startServer(file, scenario)));
  const speed = [];
  const cost = [];
  for (let round = -1; round < rounds; round += 1) {
    const order = round % 2 === 0 ? [0, 1] : [1, 0];
    const measured = [];
    for (const index of order) measured[index] = await measure(servers[index], scenario);
    if (round < 0) continue;
    speed.push(measured[1].speed / measured[0].speed);
    cost.push(measured[1].cost / measured[0].cost);
  }
  rows.push([scenario.name, median(speed).toFixed(2), median(cost).toFixed(2)]);
  for (const { child } of servers) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}
console.log(table(rows));

async function startServer(file, { path, connections }) {
  const port = await freePort();
  const env = { ...process.env, NODE_ENV: 'production', PORT: String(port), HOST: '127.0.0.1' };
  const child = spawn(process.execPath, [join(import.meta.dirname, file)], { env, stdio: 'inherit' });
  if (PINNED) spawnSync('taskset', ['-a', '-p', '-c', '0', String(child.pid)]);
  const sockets = [];
  while (sockets.length < connections) {
    const socket = await shake(port, path).catch(() => undefined);
    if (socket) sockets.push(socket);
    else if (child.exitCode !== null) throw new Error(`${file} has ended`);
    else await sleep(20);
  }
  return { child, sockets };
}

async function shake(port, path) {
  const socket = connect(port, '127.0.0.1').setNoDelay();
  await once(socket, 'connect');
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  );
  const [head] = await once(socket, 'data');
  if (!head.toString().startsWith('HTTP/1.1 101 ')) throw new Error(head.toString());
  return socket;
}

/** Keep `ahead` messages of each sender under way. What comes back to a sender says when the next may go. */
async function measure({ child, sockets }, { senders, ahead }) {
  let bytes = 0;
  let running = true;
  let pending = senders * ahead;
  let settle;
  const done = new Promise((resolve) => {
    settle = resolve;
  });
  for (const [index, socket] of sockets.entries()) {
    let came = 0;
    socket.on('data', (data) => {
      bytes += data.length;
      came += data.length;
      if (index >= senders) return;
      const answered = Math.floor(came / ANSWER);
      came -= answered * ANSWER;
      if (running) for (let count = 0; count < answered; count += 1) socket.write(FRAME);
      else {
        pending -= answered;
        if (pending === 0) settle();
      }
    });
  }
  const cpu = cpuTime(child);
  const start = performance.now();
  for (const socket of sockets.slice(0, senders))
    for (let count = 0; count < ahead; count += 1) socket.write(FRAME);
  await sleep(seconds * 1_000);
  const messages = bytes / ANSWER;
  const taken = performance.now() - start;
  const used = cpuTime(child) - cpu;
  running = false;
  await done;
  // What the others still get of the last messages.
  await sleep(100);
  for (const socket of sockets) socket.removeAllListeners('data');
  return { speed: messages / taken, cost: used / messages };
}

/** User and system time of a process in clock ticks (proc(5)); fields are counted after the name, which may hold spaces. */
function cpuTime({ pid }) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
