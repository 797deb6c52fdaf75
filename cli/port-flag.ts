import { readPort } from '../app/port.js';
import { BootError } from '../kernel/internal.js';

/** The port that `--port` names; `first` is the smallest that it may be. Throws a BootError for what is none. */
export function portOf(given: unknown, first = 0): number {
  const port = readPort(String(given));
  if (port !== undefined && port >= first) return port;
  throw new BootError({
    message: `--port takes a whole number from ${first} to 65535, not "${given}".`,
    code: 'FWK603',
  });
}
