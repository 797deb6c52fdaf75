/** A server with the package `ws`, as in its README. */
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

export function ws(port, host) {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket, { url }) => {
    socket.on('error', console.error);
    if (url === '/ws/echo') socket.on('message', (data) => socket.send(data.toString()));
    else
      socket.on('message', (data) => {
        const text = data.toString();
        for (const client of sockets.clients) if (client.readyState === client.OPEN) client.send(text);
      });
  });
  server.listen(port, host);
}
