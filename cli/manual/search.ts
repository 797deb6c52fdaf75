import { type Manual, type Page, plain } from './pages.js';
import { type Section, sectionsOf } from './sections.js';

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
function countStarts(text: string, word: string): number {
  const after = /\d$/.test(word) ? /\d/ : undefined;
  let count = 0;
  for (let at = text.indexOf(word); at !== -1 && count < 10; at = text.indexOf(word, at + word.length))
    if (!isWord(text[at - 1]) && !after?.test(text[at + word.length] ?? '')) count++;
  return count;
}

/** If a word of a title begins with `word`, or is its singular. Both are in lower case. */
const isInTitle = (title: string, word: string): boolean =>
  countStarts(title, word) > 0 ||
  title.split(/[^\p{L}\p{N}_$]+/u).some((one) => singular(one) === singular(word));

/**
 * What people call something, and the pages on it, which are called otherwise or hardly say that word; the first is shown. Each is
 * written as one word without case and marks, `log in` as `login`; it stands for its plural, too.
 */
export const TOPICS: readonly (readonly [words: string, ...pages: string[]])[] = [
  ['404 500 exception notfound', 'guide/errors', 'guide/responses'],
  ['addressinuse eaddrinuse portinuse', 'errors/FWK208'],
  ['ai agent assistant claude cursor llm', 'guide/mcp', 'operate/dev-page'],
  [
    'auth authentication authorization password permission role signin user',
    'recipes/login',
    'guide/sessions',
  ],
  ['benchmark performance', 'operate/production', 'comparison'],
  ['broadcast broadcasting chat live pubsub realtime socket', 'guide/websockets', 'guide/events'],
  ['cache', 'guide/caching'],
  ['cluster pm2', 'operate/workers', 'operate/production'],
  ['config configuration', 'reference/options', 'reference/environment'],
  ['cookie', 'guide/responses', 'guide/requests', 'guide/sessions'],
  ['database db drizzle knex mongodb mysql orm prisma sql sqlite', 'recipes/postgresql', 'guide/context'],
  ['ctx dependencyinjection provider singleton', 'guide/context'],
  ['deploying hosting', 'operate/deploy', 'operate/production'],
  ['dotenv envvar', 'reference/environment'],
  ['ejs handlebars html jsx layout template', 'guide/views'],
  ['favicon', 'guide/static'],
  ['gettingstarted helloworld install installation node quickstart setup', 'guide/start', 'tutorial'],
  ['gzip', 'guide/compression'],
  ['header', 'guide/responses', 'guide/requests', 'guide/security-headers'],
  ['helmet', 'guide/security-headers'],
  ['hmr hotreload reload watch', 'operate/editing'],
  ['https ip nginx ssl tls', 'operate/proxy'],
  ['javascript typescript', 'guide/start', 'guide/validation'],
  ['jest mock mocha test unittest vitest', 'guide/testing'],
  ['joi schema validate validator zod', 'guide/validation'],
  ['maxbodysize query querystring', 'guide/requests', 'guide/validation'],
  ['nextjs', 'recipes/from-next'],
  ['opentelemetry prometheus tracing', 'operate/observability'],
  ['param pathparam router routing urlparam', 'guide/routes'],
  ['port', 'reference/environment', 'errors/FWK208'],
  ['push', 'guide/events', 'guide/websockets'],
  ['react svelte vue', 'recipes/frontend'],
  ['redirect', 'guide/responses', 'operate/security'],
  ['rpc trpc', 'guide/client'],
  ['schedule', 'guide/cron'],
  ['status statuscode streaming', 'guide/responses', 'guide/errors'],
  ['swagger', 'guide/openapi'],
  ['throttle', 'guide/rate-limit'],
  ['upload', 'recipes/uploads', 'guide/requests'],
];

const pages = new Map(
  TOPICS.flatMap(([words, ...names]) => words.split(' ').map((word) => [singular(word), names] as const)),
);

/** Names of the pages on what a word, or several that are read as one, stands for. */
export const pagesOn = (asked: string): readonly string[] => pages.get(singular(asked)) ?? [];

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
