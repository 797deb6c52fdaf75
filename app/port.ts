import { BootError } from '../kernel/internal.js';

/** The largest port (RFC 9293 §3.1). 0 picks a free one. */
const LAST_PORT = 65_535;

/**
 * The port that a text from outside names, in decimal digits alone: `Number` also reads `0x50`, `1e3` and ` 80 `, which
 * nobody means who writes them. Undefined where it names none.
 */
export function readPort(text: string): number | undefined {
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return port <= LAST_PORT ? port : undefined;
}

/** The port that `PORT` of the environment names; 3000 where it names none. Throws a BootError for what is no port. */
export function portFromEnvironment(): number {
  const given = process.env.PORT || '3000';
  const port = readPort(given);
  if (port !== undefined) return port;
  throw new BootError({
    message: `PORT is a whole number from 0 to 65535, not "${given}". Set it to one.`,
    code: 'FWK204',
  });
}
