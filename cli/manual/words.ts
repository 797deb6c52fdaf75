/** Characters of a question: a longer one is cut. */
const MAX_QUESTION = 200;
/** Words of a question that count. */
const MAX_WORDS = 8;

/** Words of questions that say nothing of what is asked for. */
const EMPTY = new Set(
  'a an and are can do does for from how i in is it my of on or should the to what when where which why with you'.split(
    ' ',
  ),
);

/** The words of a question, in lower case, each once; where all are empty, these. */
export function wordsOf(question: string): string[] {
  const words = question
    .slice(0, MAX_QUESTION)
    .toLowerCase()
    .match(/[\p{L}\p{N}_$@]+(?:[.-][\p{L}\p{N}_$]+)*/gu);
  const telling = words?.filter((word) => !EMPTY.has(word)) ?? [];
  return [...new Set(telling.length > 0 ? telling : words)].slice(0, MAX_WORDS);
}

/** Lower case, letters and digits alone: `rate-limit`, `rateLimit` and `Rate limit` are one. */
export const normal = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** The same without the `s` of a plural. Texts are compared by it, so that it need not be a word: `cor` of `cors`. */
export const singular = (text: string): string => normal(text.slice(0, MAX_QUESTION)).replace(/(?<=.)s$/, '');

const isWord = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_$]/u.test(character);

/**
 * How often a word of `text` begins with `word`; a number is not the beginning of a longer one, as 104 is of 1048576. Where there are
 * many, not all are counted.
 */
export function countStarts(text: string, word: string): number {
  const after = /\d$/.test(word) ? /\d/ : undefined;
  let count = 0;
  for (let at = text.indexOf(word); at !== -1 && count < 10; at = text.indexOf(word, at + word.length))
    if (!isWord(text[at - 1]) && !after?.test(text[at + word.length] ?? '')) count++;
  return count;
}

/** If a word of a title begins with `word`, or is its singular. Both are in lower case. */
export const isInTitle = (title: string, word: string): boolean =>
  countStarts(title, word) > 0 ||
  title.split(/[^\p{L}\p{N}_$]+/u).some((one) => singular(one) === singular(word));
