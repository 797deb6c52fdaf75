/** A hand-written server: the package `ws`, which publishes room messages as JSON over one Redis channel. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createClient } from '@redis/client';
import { WebSocketServer } from 'ws';

const { HOST, PORT, REDIS_URL } = process.env;
const CHANNEL = 'bench.ws';
const id = randomUUID();
const rooms = new Map();
const publisher = await createClient({ url: REDIS_URL }).connect();
const subscriber = await createClient({ url: REDIS_URL }).connect();

await subscriber.subscribe(CHANNEL, (message) => {
  const { from, room, text } = JSON.parse(message);
  if (from !== id) deliver(room, text);
});

const server = createServer();
new WebSocketServer({ server }).on('connection', (socket, { url }) => {
  const room = url.split('/').pop();
  const members = rooms.get(room) ?? new Set();
  rooms.set(room, members.add(socket));
  socket.on('close', () => members.delete(socket));
  socket.on('message', (data) => {
    const text = String(data);
    deliver(room, text);
    void publisher.publish(CHANNEL, JSON.stringify({ from: id, room, text }));
  });
  socket.send('joined');
});
server.listen(Number(PORT), HOST);

function deliver(room, text) {
  for (const socket of rooms.get(room) ?? []) socket.send(text);
}
