/** A token that a request carries and its response returns; a wrong one reveals another client's response. */
export const tokenOf = (seed: number, exchange: number, index = 0): string =>
  `tok-${exchange}-${index}-${checkOf(seed, exchange, index)}`;

/** The exchanges whose tokens occur in a text, except `own`. A token with changed bytes belongs to none. */
export function strangersIn(text: string, seed: number, own: number): number[] {
  const found = new Set<number>();
  for (const [, exchange, index, check] of text.matchAll(/tok-(\d+)-(\d+)-([0-9a-f]{8})/g))
    if (check === checkOf(seed, Number(exchange), Number(index))) found.add(Number(exchange));
  found.delete(own);
  return [...found];
}

/** The exchange of a token. */
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
