import { createServer } from 'node:http';
import { createAdapter } from '@socket.io/redis-adapter';
import { createClient } from 'redis';
import { Server } from 'socket.io';

const { HOST, PORT, REDIS_URL } = process.env;
const publisher = await createClient({ url: REDIS_URL }).connect();
const subscriber = await publisher.duplicate().connect();

const server = createServer();
const io = new Server(server, {
  adapter: createAdapter(publisher, subscriber),
  transports: ['websocket'],
  perMessageDeflate: false,
  serveClient: false,
});
io.on('connection', (socket) => {
  socket.join('tea');
  socket.on('message', (text) => io.to('tea').emit('message', text));
  socket.emit('message', 'joined');
});
server.listen(Number(PORT), HOST);
