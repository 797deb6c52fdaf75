import { distance } from 'fastest-levenshtein';

/** The entry of `names` that is spelled almost like `name`, or begins with it; undefined if no name is similar. */
export function similar(name: string, names: readonly string[]): string | undefined {
  const given = name.toLowerCase();
  const limit = Math.max(1, Math.floor(name.length / 3));
  const nearest = names
    .map((other) => ({ other, far: farFrom(given, other.toLowerCase()) }))
    .filter(({ far }) => far <= limit)
    .sort((a, b) => a.far - b.far)[0];
  return nearest?.other ?? names.find((other) => isBeginning(given, other.toLowerCase()));
}

/** The number of mistakes in `name`, if `other` is meant. Two swapped letters count as one mistake. */
export function farFrom(name: string, other: string): number {
  const at = [...name].findIndex((letter, index) => letter !== other[index]);
  const swapped = `${name.slice(0, at)}${name[at + 1] ?? ''}${name[at] ?? ''}${name.slice(at + 2)}`;
  return at >= 0 && swapped === other ? 1 : distance(name, other);
}

const isBeginning = (name: string, other: string): boolean => name.length > 2 && other.startsWith(name);
