/** What a request carries and its answer returns: a wrong one tells that an answer belongs to somebody else. */
export const tokenOf = (seed: number, exchange: number, index = 0): string =>
  `tok-${exchange}-${index}-${checkOf(seed, exchange, index)}`;

/** The exchanges whose tokens are in a text, but for `own`. One whose bytes were changed on the way is nobody's. */
export function strangersIn(text: string, seed: number, own: number): number[] {
  const found = new Set<number>();
  for (const [, exchange, index, check] of text.matchAll(/tok-(\d+)-(\d+)-([0-9a-f]{8})/g))
    if (check === checkOf(seed, Number(exchange), Number(index))) found.add(Number(exchange));
  found.delete(own);
  return [...found];
}

/** The exchange whose token it is. */
export function exchangeOf(token: string): number | undefined {
  const number = /^tok-(\d+)-/.exec(token)?.[1];
  return number === undefined ? undefined : Number(number);
}

function checkOf(seed: number, exchange: number, index: number): string {
  let hash = 0x811c9dc5;
  for (const character of `${seed}/${exchange}/${index}`)
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
