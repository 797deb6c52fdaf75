/** Sort names by how little they differ from the name that was given, for "Did you mean …?". */
export const nearestFirst = (names: readonly string[], wanted: string): readonly string[] =>
  names
    .map((name) => ({ name, away: distance(name, wanted) }))
    .sort((a, b) => a.away - b.away || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);

/** How many characters of `a` have to be added, removed or replaced to get `b` (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let at = 1; at <= a.length; at++) {
    const next = [at];
    for (let to = 1; to <= b.length; to++) {
      const replaced = (row[to - 1] ?? 0) + (a[at - 1] === b[to - 1] ? 0 : 1);
      next[to] = Math.min((row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1, replaced);
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
