/**
 * Reloads the workers of an app with open connections, and reports the number of connections that survive. `closing` is
 * the same app when connections cannot move. Every client counts its messages, so lost or doubled ones are reported.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { WebSocket } from 'ws';
import { positive } from '../lib/options.js';
import { freePort } from '../lib/processes.js';
import { table } from '../lib/report.js';

const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '300' },
    reloads: { type: 'string', default: '3' },
  },
  strict: false,
});
const count = positive('connections', values.connections);
const reloads = positive('reloads', values.reloads);
/** Milliseconds between two messages of a WebSocket. */
const PAUSE_MS = 100;

const rows = [
  [
    '',
    'idle',
    'WebSockets',
    'event streams',
    'messages',
    'lost or doubled',
    'slowest answer, ms',
    'ms to exit',
  ],
];
for (const subject of ['moving', 'closing']) rows.push([subject, ...(await measure(subject === 'closing'))]);
console.log(
  `${count} connections of each kind, ${reloads} reloads, 2 workers; the connections that are still open\n`,
);
console.log(table(rows));
process.exit();

async function measure(isClosing) {
  const port = await freePort();
  const env = { ...process.env, NODE_ENV: 'production', PORT: String(port), HOST: '127.0.0.1' };
  const server = spawn(process.execPath, [join(import.meta.dirname, 'deploy/main.js')], {
    env: isClosing ? { ...env, CLOSE: '1' } : env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let log = '';
  server.stdout.on('data', (text) => {
    log += text;
  });
  const logged = async (pattern, from = 0) => {
    while (!pattern.test(log.slice(from))) await sleep(5);
  };
  await logged(/Listening on/);
  const idle = await times(() => openIdle(port));
  const sockets = await times(() => openSocket(port));
  const streams = await times(() => openStream(port));
  let took = 0;
  for (let round = 0; round < reloads; round += 1) {
    const from = log.length;
    server.kill('SIGHUP');
    await logged(/Reloaded/, from);
    const begun = performance.now();
    await logged(/Handed over|instead of being handed over/, from);
    took = Math.max(took, isClosing ? Number.NaN : performance.now() - begun);
    await sleep(500);
  }
  for (const { stop } of sockets) stop();
  await sleep(500);
  const isOpen = ({ open }) => open;
  const sum = (key) => [...sockets, ...streams].reduce((total, one) => total + one[key], 0);
  const result = [
    ...[idle, sockets, streams].map((some) => String(some.filter(isOpen).length)),
    String(sum('messages')),
    String(sum('wrong')),
    Math.max(...sockets.map(({ slowest }) => slowest)).toFixed(0),
    isClosing ? 'up to 72,000' : took.toFixed(0),
  ];
  server.kill('SIGKILL');
  await once(server, 'close');
  return result;
}

async function times(open) {
  const all = [];
  while (all.length < count)
    all.push(...(await Promise.all(Array.from({ length: Math.min(50, count - all.length) }, open))));
  return all;
}

function openIdle(port) {
  const agent = new http.Agent({ keepAlive: true });
  return new Promise((resolve, reject) => {
    const one = { open: true };
    http
      .get({ port, host: '127.0.0.1', path: '/api/hello', agent }, (response) => {
        response.socket.once('close', () => {
          one.open = false;
        });
        response.resume().once('end', () => resolve(one));
      })
      .once('error', reject);
  });
}

async function openSocket(port) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/count`, { perMessageDeflate: false });
  await once(socket, 'open');
  const one = { open: true, messages: 0, wrong: 0, slowest: 0, stop: () => clearInterval(timer) };
  let sentAt = 0;
  let sent = 0;
  const timer = setInterval(() => {
    if (!one.open || sent > one.messages) return;
    sent += 1;
    sentAt = performance.now();
    socket.send('');
  }, PAUSE_MS);
  socket.on('message', (data) => {
    one.messages += 1;
    one.wrong += Number(Number(data) !== one.messages);
    one.slowest = Math.max(one.slowest, performance.now() - sentAt);
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    one.open = false;
  });
  return one;
}

function openStream(port) {
  return new Promise((resolve, reject) => {
    const one = { open: true, messages: 0, wrong: 0 };
    let text = '';
    http
      .get({ port, host: '127.0.0.1', path: '/api/ticks', agent: false }, (response) => {
        response.setEncoding('utf8').on('data', (chunk) => {
          const lines = (text + chunk).split('\n');
          text = lines.pop();
          for (const line of lines) {
            if (!line.startsWith('id: ')) continue;
            one.messages += 1;
            one.wrong += Number(Number(line.slice(4)) !== one.messages);
          }
        });
        response.once('end', () => {
          one.open = false;
        });
        resolve(one);
      })
      .once('error', reject);
  });
}
