import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the range from which systems choose ephemeral ports, so that no other program takes one before the test does.
 */
const FIRST = 20_000;
const COUNT = 12_000;

/** A port that is unused at the moment. */
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
