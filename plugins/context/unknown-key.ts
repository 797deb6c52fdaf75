import { closest, distance } from 'fastest-levenshtein';
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
  const nearest = closest(
    unknownKey,
    [...keys].filter((other) => other !== key),
  );
  // Of one that is nothing like it people would wonder why.
  const isLike = nearest !== undefined && distance(unknownKey, nearest) <= unknownKey.length / 3;
  return ` (ctx has no "${unknownKey}"${isLike ? `; did you mean "${nearest}"?` : ''})`;
}
