/**
 * The whole number that a text from outside is written as, in decimal digits alone: `Number` also reads `0x50`, `1e3` and
 * ` 80 `, which nobody means who writes them. Undefined where it is none, or not from `min` to `max`.
 */
export function readWhole(text: string, min: number, max: number): number | undefined {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return number >= min && number <= max ? number : undefined;
}

/** The largest port (RFC 9293 §3.1). 0 picks a free one. */
export const LAST_PORT = 65_535;
