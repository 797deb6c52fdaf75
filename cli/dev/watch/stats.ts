import { type BigIntStats, statSync } from 'node:fs';

/** Undefined where there is nothing, also where a link leads nowhere or in a circle. */
export function statsOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}
