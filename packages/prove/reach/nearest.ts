/** Names by how much they are like `wanted`, the most alike first. */
export function nearestFirst(names: Iterable<string>, wanted: string): readonly string[] {
  const asked = wanted.toLowerCase();
  return [...new Set(names)]
    .map((name) => ({ name, away: distance(name.toLowerCase(), asked) }))
    .sort((a, b) => a.away - b.away || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}

/** How many characters have to be added, taken away or replaced to make `b` of `a` (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [at, letter] of [...a].entries()) {
    const next = [at + 1];
    for (let to = 1; to <= b.length; to++)
      next[to] = Math.min(
        (row[to] ?? 0) + 1,
        (next[to - 1] ?? 0) + 1,
        (row[to - 1] ?? 0) + (letter === b[to - 1] ? 0 : 1),
      );
    row = next;
  }
  return row[b.length] ?? 0;
}
