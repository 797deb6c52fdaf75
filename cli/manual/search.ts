import { type Manual, type Page, plain } from './pages.js';
import { type Section, sectionsOf } from './sections.js';
import { pagesOn } from './topics.js';
import { countStarts, isInTitle, normal, singular, wordsOf } from './words.js';

export interface Hit {
  readonly section: Section;
  readonly score: number;
  /** Words around the first that was found, without markup. */
  readonly excerpt: string;
}

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

/** The sections that have all words of a question, or are called as it is, or else that have any word; the best first. */
export function search(manual: Manual, question: string, limit = 30): readonly Hit[] {
  const words = wordsOf(question);
  if (words.length === 0) return [];
  const sections = [...manual.pages.values()].flatMap(sectionsOf);
  // `log in` and `rate limit` are two words of a question, and one name.
  const isOneWord = words.some((word) => singular(word) === singular(question));
  const rated = sections.map((section) => {
    const scores = words.map((word) => rate(section, word));
    const named = isOneWord ? 0 : rateName(section, question);
    return { section, scores: [...scores, named], isFull: named > 0 || scores.every((score) => score > 0) };
  });
  const full = rated.filter(({ isFull }) => isFull);
  return (full.length > 0 ? full : rated.filter(({ scores }) => scores.some((score) => score > 0)))
    .map(({ section, scores }) => ({ section, score: scores.reduce((sum, score) => sum + score, 0) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ section, score }) => ({ section, score, excerpt: excerptOf(section, words) }));
}

/** Where one looks up what one has met: an error, or what plugins are given. It comes after what says how something is done. */
export const isLookedUp = ({ name }: Page): boolean => /^errors(?:\/|$)|^reference\/plugin-api$/.test(name);

/** How much a section is about a word; 0 if it does not have it. */
function rate(section: Section, word: string): number {
  const { title, text, code } = searchable(section);
  const last = lastPart(section.page);
  const squeezed = normal(word);
  let score = rateName(section, word);
  if (score === 0 && squeezed !== '') {
    if (section.id === '') score = isInTitle(title, word) || last.startsWith(squeezed) ? 12 : 0;
    else if (singular(title) === singular(word)) score = 14;
    else if (isInTitle(title, word)) score = 9;
  }
  const found = countStarts(text, word);
  if (found > 0) score += 1 + Math.min(found, 6) / 2;
  if (countStarts(code, word) > 0) score += 2;
  return isLookedUp(section.page) && squeezed !== last ? score / 2 : score;
}

/** How much a page is about what goes by a name; 0 for sections but its first. */
function rateName({ page, id }: Section, asked: string): number {
  const name = singular(asked);
  if (id !== '' || name === '') return 0;
  const place = pagesOn(asked).indexOf(page.name);
  if (place !== -1) return place === 0 ? 32 : 24 - place;
  return singular(lastPart(page)) === name || singular(page.title) === name ? 24 : 0;
}

const lastPart = ({ name }: Page): string => normal(name.split('/').at(-1) ?? '');

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
