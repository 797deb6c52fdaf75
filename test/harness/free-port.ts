import { once } from 'node:events';
import { createServer } from 'node:net';

/** Ports below those that systems give to whoever connects or listens on 0, who could take one before it is listened on. */
const FIRST = 20_000;
const COUNT = 12_000;

/** A port that nobody listens on at the moment. */
export async function freePort(): Promise<number> {
  const port = FIRST + Math.floor(Math.random() * COUNT);
  const server = createServer().listen(port, '127.0.0.1');
  const isFree = await new Promise((resolve) => {
    server.once('listening', () => resolve(true)).once('error', () => resolve(false));
  });
  if (!isFree) return freePort();
  server.close();
  await once(server, 'close');
  return port;
}
