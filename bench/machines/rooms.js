/** Sends messages from a socket of one process to the sockets of both processes. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { cpuOf, runOn, startProcess } from './processes.js';

export const SUBJECTS = ['ws', 'fwk over redis', 'fwk over postgres', 'socket.io', 'crossws'];
export const COLUMNS = ['messages/s', 'CPU µs a message', 'p50 ms', 'p99 ms'];

/** Sockets per process. */
const SOCKETS = 20;
/** The limit of messages in transit: unread messages at the client don't measure the server. */
const WINDOW = 32;
const TEXT = 'x'.repeat(90);
/** The number of messages for the latency measurement, and the milliseconds between two messages. */
const [TIMED, PAUSE_MS] = [200, 10];

const plain = { path: '/ws/rooms/tea', encode: (text) => text, decode: (text) => text, hello: [] };
/** The frames of socket.io: 0 opens, 40 joins, 42 is an event. */
const socketIo = {
  path: '/socket.io/?EIO=4&transport=websocket',
  hello: ['40'],
  heartbeat: '2',
  encode: (text) => `42["message",${JSON.stringify(text)}]`,
  decode: (text) => (text.startsWith('42') ? JSON.parse(text.slice(2))[1] : undefined),
};

/** Starts two processes, each on its own core, and connects their sockets. */
export async function open(name, servers) {
  runOn('0-1');
  const processes = [await startProcess(name, 0, servers), await startProcess(name, 1, servers)];
  const protocol = name === 'socket.io' ? socketIo : plain;
  const sockets = [];
  for (let index = 0; index < 2 * SOCKETS; index += 1)
    sockets.push(await connect(processes[index % 2].port, protocol));
  return { name, processes, sockets };
}

async function connect(port, { path, hello, encode, decode, heartbeat }) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { perMessageDeflate: false });
  const one = { hear: () => {}, send: (text) => socket.send(encode(text)) };
  const joined = new Promise((resolve) => {
    one.hear = (text) => text === 'joined' && resolve();
  });
  // The first messages can arrive together with the response to the handshake.
  socket.on('message', (data) => {
    // The server disconnects clients that don't answer a heartbeat.
    if (String(data) === heartbeat) return socket.send('3');
    const text = decode(String(data));
    if (text !== undefined) one.hear(text);
  });
  await once(socket, 'open');
  for (const text of hello) socket.send(text);
  await joined;
  return one;
}

/** Runs one round: sends as many messages as `seconds` allow, and all of them have to arrive at every socket. */
export async function round({ name, processes, sockets }, seconds) {
  let sent = 0;
  let got = 0;
  let wake = () => {};
  for (const socket of sockets)
    socket.hear = () => {
      got += 1;
      if (got >= (sent - WINDOW / 2) * sockets.length) wake();
    };
  const before = await cpuOf(processes);
  const begun = performance.now();
  while (performance.now() - begun < seconds * 1_000) {
    while (sent - got / sockets.length < WINDOW) {
      sent += 1;
      sockets[0].send(TEXT);
    }
    await new Promise((resolve, reject) => {
      const lost = () => reject(new Error(`${name}: ${got} of ${sent * sockets.length} arrived`));
      const timer = setTimeout(lost, 10_000);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
  for (const until = Date.now() + 10_000; got < sent * sockets.length; await sleep(1))
    if (Date.now() > until)
      throw new Error(`${name}: only ${got} of ${sent * sockets.length} messages arrived`);
  const elapsed = (performance.now() - begun) / 1_000;
  const cpu = (await cpuOf(processes)) - before;
  return [sent / elapsed, cpu / sent, ...(await timesOf(sockets))];
}

/** Returns p50 and p99 of the milliseconds to a socket of the other process, with little load. */
async function timesOf(sockets) {
  const times = [];
  for (const [index, socket] of sockets.entries())
    socket.hear =
      index === 1 ? (text) => times.push(performance.now() - Number(text.split(' ', 1)[0])) : () => {};
  for (let message = 0; message < TIMED; message += 1) {
    sockets[0].send(`${performance.now()} ${TEXT}`);
    await sleep(PAUSE_MS);
  }
  for (const until = Date.now() + 10_000; times.length < TIMED; await sleep(1))
    if (Date.now() > until) throw new Error(`only ${times.length} of ${TIMED} messages arrived`);
  times.sort((a, b) => a - b);
  return [times[Math.floor(TIMED * 0.5)], times[Math.floor(TIMED * 0.99)]];
}
