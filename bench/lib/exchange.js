import { once } from 'node:events';
import { createConnection } from 'node:net';

/**
 * Sends one request on a new connection. Resolves with the response: its size on the wire, status, headers with
 * lowercase names, and the decoded body.
 */
export async function exchange(port, request) {
  const socket = createConnection(port, '127.0.0.1');
  socket.write(request);
  let wire = '';
  let body;
  while (body === undefined) {
    const [chunk] = await once(socket, 'data');
    wire += chunk.toString('latin1');
    body = wholeBody(wire);
  }
  socket.destroy();
  const [statusLine, ...lines] = wire.slice(0, wire.indexOf('\r\n\r\n')).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(':', 1)[0].toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { size: wire.length, status: Number(statusLine.split(' ')[1]), headers, body };
}

/** Returns the body of a complete response, and undefined if the response is still incomplete. */
function wholeBody(wire) {
  const end = wire.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = wire.slice(0, end);
  const rest = wire.slice(end + 4);
  if (/\r\ntransfer-encoding: chunked/i.test(head))
    return rest.endsWith('0\r\n\r\n') ? unchunk(rest) : undefined;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  return rest.length === length ? rest : undefined;
}

function unchunk(rest) {
  const line = rest.indexOf('\r\n');
  const size = Number.parseInt(rest.slice(0, line), 16);
  const start = line + 2;
  return size === 0 ? '' : rest.slice(start, start + size) + unchunk(rest.slice(start + size + 2));
}
