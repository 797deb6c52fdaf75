import { readPort } from '../app/env.js';
import type { Flag, Flags } from '../contributions/index.js';
import { BootError, type ProblemCode } from '../kernel/index.js';

export class UsageError extends Error {
  constructor(
    message: string,
    readonly code: ProblemCode,
  ) {
    super(message);
  }
}

export const flag = (
  name: string,
  description: string,
  more: Omit<Flag, 'name' | 'description'> = {},
): Flag => ({ name, description, ...more });

export const DIR = flag('dir', 'Project root', { value: 'path', fallback: '.' });

/** Reject a flag without its value or without the flag that it depends on in `named`, a switch with a value, and a repeated flag. */
export function checkFlags(flags: Flags, known: readonly Flag[], named: readonly string[]): void {
  for (const { name, value, isOptional, of } of known) {
    const given = flags[name];
    if (of !== undefined && named.includes(name) && flags[of] === undefined)
      throw new UsageError(`--${name} requires --${of}. Pass both flags, or omit --${name}.`, 'FWK603');
    if (Array.isArray(given)) throw new UsageError(`--${name} is given twice. Give it once.`, 'FWK603');
    if (value !== undefined && !isOptional && (typeof given === 'boolean' || given === ''))
      throw new UsageError(`--${name} needs a value: --${name} <${value}>.`, 'FWK603');
    if (value === undefined && given !== undefined && typeof given !== 'boolean')
      throw new UsageError(`--${name} takes no value, not "${given}".`, 'FWK603');
  }
}

/** The port in `--port`; `first` is the smallest valid number. Throws a BootError for an invalid port. */
export function portOf(given: unknown, first = 0): number {
  const port = readPort(String(given));
  if (port !== undefined && port >= first) return port;
  throw new BootError({
    message: `--port takes a whole number from ${first} to 65535, not "${given}".`,
    code: 'FWK603',
  });
}
