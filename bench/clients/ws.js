/**
 * WebSockets. Each of the `senders` keeps `ahead` messages in transit: when a message returns, the sender sends the
 * next one. With `broadcast`, every connection receives each message.
 */
import { once } from 'node:events';
import { createConnection } from 'node:net';

const TEXT = 'x'.repeat(64);
/** A client frame masked with zeros, and the length of the frame that the server sends back. */
const FRAME = Buffer.concat([Buffer.from([0x81, 0x80 | TEXT.length, 0, 0, 0, 0]), Buffer.from(TEXT)]);
const ANSWER = 2 + TEXT.length;

/** Returns the frames that one message causes at its sender and, for a broadcast, at another connection. */
export async function sample({ port }, { path, broadcast }) {
  const sockets = await connect(port, path, broadcast ? 2 : 1);
  const frames = sockets.map(frame);
  sockets[0].write(FRAME);
  return Promise.all(frames);
}

export async function open({ port }, { path, senders, ahead, broadcast }, connections) {
  const sockets = await connect(port, path, connections);
  const reach = broadcast ? connections : 1;
  return (seconds) =>
    new Promise((resolve, reject) => {
      const start = performance.now();
      const until = start + seconds * 1000;
      let sent = 0;
      let bytes = 0;
      const send = (socket) => {
        sent += 1;
        socket.write(FRAME);
      };
      for (const [index, socket] of sockets.entries()) {
        let unanswered = 0;
        socket.on('error', reject);
        socket.on('end', () => reject(new Error(`port ${port} closed a connection`)));
        socket.on('data', ({ length }) => {
          bytes += length;
          if (index < senders)
            for (unanswered += length; unanswered >= ANSWER; unanswered -= ANSWER)
              if (performance.now() < until) send(socket);
          if (bytes < sent * reach * ANSWER) return;
          for (const each of sockets) each.destroy();
          resolve({ done: sent * reach, elapsed: (performance.now() - start) / 1000 });
        });
      }
      for (const socket of sockets.slice(0, senders))
        for (let count = 0; count < ahead; count += 1) send(socket);
    });
}

const connect = (port, path, count) =>
  Promise.all(Array.from({ length: count }, () => handshake(port, path)));

async function handshake(port, path) {
  const socket = createConnection(port, '127.0.0.1').setNoDelay();
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  const [head] = await once(socket, 'data');
  if (!head.latin1Slice().startsWith('HTTP/1.1 101 ')) throw new Error(`port ${port} responded with ${head}`);
  return socket;
}

/** Reads the next frame of a socket, and then destroys the socket. */
async function frame(socket) {
  let bytes = Buffer.alloc(0);
  while (bytes.length < ANSWER) bytes = Buffer.concat([bytes, ...(await once(socket, 'data'))]);
  socket.destroy();
  return bytes.latin1Slice();
}
