import { closest } from 'fastest-levenshtein';
import type { SingletonInstance } from './singleton-instance.js';

/**
 * What a misspelt key of `ctx` may have to do with what a factory has thrown: ` (ctx has no "todoss"; did you mean
 * "todos"?)`. Empty where the factory read none.
 *
 * @param keys those that it may read
 */
export function unknownKeyHint(
  { key, unknownKey }: SingletonInstance,
  thrown: unknown,
  keys: Iterable<string>,
): string {
  if (unknownKey === undefined || !(thrown instanceof TypeError)) return '';
  const others = [...keys].filter((other) => other !== key);
  const nearest = others.length > 0 ? `; did you mean "${closest(unknownKey, others)}"?` : '';
  return ` (ctx has no "${unknownKey}"${nearest})`;
}
