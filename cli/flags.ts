import type { Flag, Flags } from '../kernel/internal.js';
import { UsageError } from './usage-error.js';

export const flag = (
  name: string,
  description: string,
  more: Omit<Flag, 'name' | 'description'> = {},
): Flag => ({ name, description, ...more });

/** Accepted by every command. */
export const DIR = flag('dir', 'Project root', { value: 'path', fallback: '.' });

/** Refuse a flag without its value, a switch with one, and any flag that is given twice. */
export function checkFlags(flags: Flags, known: readonly Flag[]): void {
  for (const { name, value } of known) {
    const given = flags[name];
    if (Array.isArray(given)) throw new UsageError(`--${name} is given twice. Give it once.`, 'FWK603');
    if (value !== undefined && (typeof given === 'boolean' || given === ''))
      throw new UsageError(`--${name} needs a value: --${name} <${value}>.`, 'FWK603');
    if (value === undefined && given !== undefined && typeof given !== 'boolean')
      throw new UsageError(`--${name} takes no value, not "${given}".`, 'FWK603');
  }
}
