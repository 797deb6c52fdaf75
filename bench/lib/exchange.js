import { once } from 'node:events';
import { createConnection } from 'node:net';

/** One request on a connection of its own; the whole response, byte for byte. */
export async function exchange(port, request) {
  const socket = createConnection(port, '127.0.0.1');
  socket.write(request);
  let response = '';
  while (!isWhole(response)) {
    const [chunk] = await once(socket, 'data');
    response += chunk.toString('latin1');
  }
  socket.destroy();
  return response;
}

function isWhole(response) {
  const end = response.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(response.slice(0, end))?.[1] ?? 0;
  return response.length === end + 4 + Number(length);
}
