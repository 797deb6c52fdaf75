import { type Manual, type Page, plain } from './pages.js';
import { type Section, sectionsOf } from './sections.js';
import { pagesOn } from './topics.js';

export interface Hit {
  readonly section: Section;
  readonly score: number;
  /** Words around the first that was found, without markup. */
  readonly excerpt: string;
}

/** Characters of a question: a longer one is cut. */
const MAX_QUESTION = 200;
/** Words of a question that count. */
const MAX_WORDS = 8;
/** Characters on each side of what was found. */
const AROUND = 80;

/** A section as it is searched: in lower case. */
interface Searchable {
  readonly title: string;
  readonly text: string;
  /** What is code in it, each piece between line ends. */
  readonly code: string;
  /** Without blocks of code, as it is written. */
  readonly prose: string;
}

const prepared = new WeakMap<Section, Searchable>();

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

/** Lower case, letters and digits alone: `rate-limit`, `rateLimit` and `Rate limits` begin alike. */
export const normal = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** The sections that have all words of a question, or else any; the best first. */
export function search(manual: Manual, question: string, limit = 30): readonly Hit[] {
  const words = wordsOf(question);
  if (words.length === 0) return [];
  const sections = [...manual.pages.values()].flatMap(sectionsOf);
  const rated = sections.map((section) => ({ section, scores: words.map((word) => rate(section, word)) }));
  const full = rated.filter(({ scores }) => scores.every((score) => score > 0));
  return (full.length > 0 ? full : rated.filter(({ scores }) => scores.some((score) => score > 0)))
    .map(({ section, scores }) => ({ section, score: scores.reduce((sum, score) => sum + score, 0) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ section, score }) => ({ section, score, excerpt: excerptOf(section, words) }));
}

/** How much a section is about a word; 0 if it does not have it. */
function rate(section: Section, word: string): number {
  const { title, text, code } = searchable(section);
  const squeezed = normal(word);
  const isFirst = section.id === '';
  let score = 0;
  if (isFirst) score += rateTitle(section.page, squeezed);
  else if (normal(title) === squeezed) score += 14;
  else if (startsWord(title, word)) score += 9;
  const found = countStarts(text, word);
  if (found > 0) score += 1 + Math.min(found, 6) / 2;
  if (countStarts(code, word) > 0) score += 2;
  return score;
}

function rateTitle(page: Page, squeezed: string): number {
  const last = normal(page.name.split('/').at(-1) ?? '');
  if (squeezed === '') return 0;
  const place = pagesOn(squeezed).indexOf(page.name);
  if (place !== -1) return 24 - place;
  if (last === squeezed || normal(page.title) === squeezed) return 24;
  if (last.startsWith(squeezed) || normal(page.title).includes(squeezed)) return 12;
  return 0;
}

function searchable(section: Section): Searchable {
  const known = prepared.get(section);
  if (known) return known;
  const lines = section.text.replace(/^ *(?:```|\|[ :|-]+\|$).*$/gm, '');
  const prose = section.text
    .replace(/^ *```[\s\S]*?^ *```$/gm, '')
    .replace(/^\|[ :|-]+\|$|^ *(?:[-*]|\d+\.) |(?<!\\)\|/gm, ' ');
  const code = [...section.text.matchAll(/`([^`\n]+)`|^ *```\w*\n([\s\S]*?)^ *```$/gm)]
    .map(([, inline, block]) => inline ?? block ?? '')
    .join('\n');
  const made = {
    title: section.title.toLowerCase(),
    text: plain(lines).toLowerCase(),
    code: code.toLowerCase(),
    prose: plain(prose),
  };
  prepared.set(section, made);
  return made;
}

const isWord = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_$]/u.test(character);

const startsWord = (text: string, word: string): boolean => countStarts(text, word) > 0;

/** How often a word of `text` begins with `word`; where there are many, not all are counted. */
function countStarts(text: string, word: string): number {
  let count = 0;
  for (let at = text.indexOf(word); at !== -1 && count < 10; at = text.indexOf(word, at + word.length))
    if (!isWord(text[at - 1])) count++;
  return count;
}

function excerptOf(section: Section, words: readonly string[]): string {
  const { prose } = searchable(section);
  const lower = prose.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at !== -1);
  const first = places.length === 0 ? 0 : Math.min(...places);
  const start = first <= AROUND ? 0 : prose.indexOf(' ', first - AROUND) + 1;
  const isLast = prose.length <= start + 2 * AROUND;
  const end = isLast ? prose.length : prose.lastIndexOf(' ', start + 2 * AROUND);
  return `${start === 0 ? '' : '… '}${prose.slice(start, Math.max(end, start))}${isLast ? '' : ' …'}`;
}
