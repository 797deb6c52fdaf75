import { createHash } from 'node:crypto';

const WORDS = '<!-- fwk skills writes this file anew until it is changed by hand:';
/** At the end of a file. Formatters may break lines in front of it, and after it. */
const SEAL = new RegExp(`${WORDS} ([0-9a-f]{12}) -->\\s*$`);

/** All letters and digits of a text. A formatter changes quotes, tables, line ends and commas, and none of these. */
export const wordsOf = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '');

/** `text` with a last line by which it is known, later, whether somebody has changed it. */
export const sealed = (text: string): string => `${text}\n${WORDS} ${digest(text)} -->\n`;

/** Whether `text` is as fwk has written it, in any version. */
export function isUnchanged(text: string): boolean {
  const seal = SEAL.exec(text);
  return seal !== null && digest(text.slice(0, seal.index)) === seal[1];
}

const digest = (text: string): string =>
  createHash('sha256').update(wordsOf(text)).digest('hex').slice(0, 12);
