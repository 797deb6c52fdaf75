import { distance } from 'fastest-levenshtein';
import { type Manual, type Page, plain } from './pages.js';
import {
  addressOf,
  allSections,
  type Entry,
  entriesCalled,
  entriesNamed,
  entriesOf,
  type Section,
  sectionsByAddress,
  sectionsOf,
} from './sections.js';

export type SearchResult =
  /** The first section of a page represents the whole page. */
  | { readonly kind: 'section'; readonly section: Section; readonly also: readonly Section[] }
  | {
      readonly kind: 'entries';
      readonly entries: readonly Entry[];
      readonly section: Section | undefined;
    }
  | { readonly kind: 'several'; readonly sections: readonly Section[] }
  | { readonly kind: 'none'; readonly similar: readonly string[] };

const MAX_ENTRIES = 6;
const MAX_CHOICES = 10;
/** The best section is shown at once if its score is this many times the score of the second one. */
const LEAD = 1.5;
/** Characters and words of a question that count. */
const MAX_QUESTION = 200;
const MAX_WORDS = 8;

/**
 * Words that people search for, and the pages, sections and error codes about them: the first is shown, the others are listed below it.
 * A word is written in lower case without spaces and punctuation (`login` for "log in"), and matches its plural, too.
 */
export const TOPICS: readonly (readonly [words: string, ...addresses: string[]])[] = [
  ['404 500 exception notfound', 'guide/errors', 'guide/responses'],
  ['addressinuse eaddrinuse portinuse', 'FWK208'],
  ['413', 'operate/limits#requests', 'guide/requests#the-body'],
  ['ai agent assistant claude cursor llm', 'guide/mcp', 'operate/dev-page'],
  [
    'auth authentication authorization password permission role signin user',
    'recipes/login',
    'guide/sessions',
  ],
  ['alias pathalias', 'operate/editing#differences-from-a-build'],
  ['apikey bearer jwt', 'guide/middlewares', 'guide/mcp#authorization'],
  ['argon2 bcrypt passwordhash scrypt', 'recipes/login', 'tutorial#3-login'],
  ['background backgroundjob', 'guide/queues', 'guide/cron'],
  ['benchmark performance', 'operate/production', 'comparison'],
  ['broadcast broadcasting chat live pubsub realtime socket', 'guide/websockets', 'guide/events'],
  ['cache', 'guide/caching'],
  ['breakpoint debug debugger inspect', 'operate/debugging'],
  ['bun cloudflare deno edge lambda serverless', 'not-for#use-another-tool-for'],
  ['cjs commonjs require', 'FWK618', 'not-for#use-another-tool-for'],
  ['cluster pm2', 'operate/workers', 'operate/production'],
  ['config configuration', 'reference/options', 'reference/environment'],
  ['cookie', 'guide/responses', 'guide/requests', 'guide/sessions'],
  [
    'database db drizzle knex mongo mongodb mysql orm prisma sql sqlite',
    'recipes/postgresql',
    'guide/context',
  ],
  ['cpuprofile flamegraph heapsnapshot memoryleak profiler profiling', 'operate/debugging#profiling'],
  ['crash uncaughtexception unhandledrejection', 'operate/logging#a-crash'],
  ['ctx dependencyinjection provider singleton', 'guide/context'],
  ['deploy deploying hosting', 'operate/deploy', 'operate/deploys', 'operate/production'],
  ['zerodowntime', 'operate/deploys'],
  ['dotenv env envvar environmentvariable t3env', 'guide/env', 'reference/environment'],
  ['redact', 'guide/env#secrets', 'operate/logging'],
  ['e2e endtoend playwright', 'guide/testing#on-a-port'],
  ['ejs handlebars html layout template', 'guide/views'],
  ['favicon', 'guide/static'],
  ['email mail nodemailer smtp', 'recipes/queue-and-cron', 'recipes/libraries', 'guide/queues'],
  ['loadshedding overload underpressure', 'operate/limits#overload'],
  ['filesize maxfilesize', 'recipes/uploads#limits', 'operate/limits#requests'],
  ['flash flashmessage', 'guide/sessions#flash-messages', 'recipes/forms'],
  ['formerror oldinput', 'recipes/forms'],
  ['form', 'recipes/forms', 'guide/requests#the-body', 'recipes/uploads#small-files-in-a-form'],
  ['gettingstarted helloworld install installation node quickstart setup', 'guide/start', 'tutorial'],
  ['graceful', 'operate/limits#shutdown', 'operate/workers'],
  ['guard', 'guide/middlewares', 'recipes/login', 'FWK116'],
  ['gzip', 'guide/compression'],
  ['header', 'guide/responses', 'guide/requests', 'guide/security-headers'],
  ['helmet', 'guide/security-headers'],
  [
    'history',
    'guide/websockets#presence-and-history',
    'operate/redis#replay-for-server-sent-events',
    'guide/events',
  ],
  ['hmr hotreload reload watch', 'operate/editing'],
  ['http2 https ip nginx ssl tls', 'operate/proxy'],
  ['liveness probe readiness', 'operate/health', 'operate/deploy#kubernetes'],
  [
    'idempotency idempotencykey idempotent',
    'guide/idempotency',
    'guide/requests#repeated-requests',
    'recipes/postgresql#repeated-requests',
    'guide/queues#failures-and-guarantees',
  ],
  ['hmac signature webhook webhooksignature', 'guide/requests#webhook-signatures'],
  ['apiversion version versioning', 'guide/routes#api-versions', 'guide/openapi'],
  ['i18n intl language locale localization translation', 'guide/views#languages'],
  ['javascript typescript', 'guide/start', 'guide/validation'],
  ['jest mock mocha test unittest vitest', 'guide/testing'],
  ['joi schema validate validator zod', 'guide/validation'],
  ['cancel longrunning progress', 'recipes/long-work', 'guide/queues'],
  ['jsx preact tsx', 'guide/views#jsx', 'recipes/frontend'],
  ['maxbodysize query querystring', 'guide/requests', 'guide/validation'],
  ['nextjs', 'recipes/from-next'],
  ['apm opentelemetry prometheus sentry tracing', 'operate/observability'],
  ['pagination paging', 'recipes/postgresql#pagination'],
  ['param pathparam router routing urlparam', 'guide/routes'],
  ['plugin', 'reference/plugin-api', 'reference/interception', 'reference/commands'],
  ['port', 'reference/environment', 'FWK208'],
  [
    'online presence',
    'guide/websockets#presence-and-history',
    'guide/websockets#publish-from-routes-and-services',
  ],
  ['push', 'guide/events', 'guide/websockets'],
  ['react spa ssr svelte vue', 'recipes/frontend', 'not-for'],
  ['redirect', 'guide/responses', 'operate/security'],
  ['resume replay', 'operate/redis#replay-for-server-sent-events', 'guide/events'],
  ['retry', 'guide/queues#run-jobs', 'guide/queues#failures-and-guarantees'],
  ['rpc trpc', 'guide/client'],
  ['bucket s3', 'recipes/uploads#object-storage-s3'],
  ['schedule', 'guide/cron'],
  [
    'endallsessions endsession logout logouteverywhere revokesession signout',
    'guide/sessions#login-and-logout',
    'recipes/login',
  ],
  ['seed', 'operate/repl#scripts', 'guide/testing#inside-another-server'],
  ['sourcemap', 'operate/debugging#production'],
  ['status statuscode streaming', 'guide/responses', 'guide/errors'],
  ['multitenancy subdomain tenancy tenant', 'guide/context#tenants-and-subdomains'],
  ['swagger', 'guide/openapi'],
  ['throttle', 'guide/rate-limit'],
  ['timeout', 'operate/limits', 'operate/limits#route-timeouts'],
  ['upload', 'recipes/uploads', 'guide/requests'],
  ['websocketauth', 'guide/websockets#handshake', 'recipes/login'],
];

const topics = new Map(
  TOPICS.flatMap(([words, ...addresses]) =>
    words.split(' ').map((word) => [singular(word), addresses] as const),
  ),
);

const sectionsOn = (manual: Manual, words: string): readonly Section[] =>
  (topics.get(singular(words)) ?? []).flatMap((address) => sectionsByAddress(manual).get(address) ?? []);

/** Find a word, several words, the path of a page, `page#section` or an error code. */
export function find(manual: Manual, question: string): SearchResult {
  const words = question.trim().replace(/^(?:\.\/)?docs\//, '');
  const code = sectionsByAddress(manual).get(words.toUpperCase());
  if (code) return { kind: 'section', section: code, also: [] };
  const [path = '', id] = words.split('#', 2);
  const named = pagesNamed(manual, path.replace(/\.md$/, ''));
  if (id !== undefined && id !== '') {
    const sections = named.flatMap((page) =>
      sectionsOf(page).filter((one) => one.id === id || normal(one.id) === normal(id)),
    );
    if (sections.length > 0) return oneOf(sections);
  }
  const [page, ...others] = named;
  if (page && others.length === 0) return pageResult(manual, words, page);
  if (page) return { kind: 'several', sections: named.map(firstOf) };

  // `auth` and `reload` are names in code, but in lower case they may also be everyday words.
  const isEveryday = /^[\p{Ll}\p{N} ]+$/u.test(words);
  const called = entriesCalled(manual, words);
  const entries = entriesNamed(manual, words);
  const [topic, ...related] = sectionsOn(manual, words);
  if (topic && (isEveryday || called.length === 0)) {
    const also = new Set([...related, ...entries.map(({ section }) => section)]);
    return { kind: 'section', section: topic, also: [...also] };
  }
  if (called.length > 0) return entriesResult(manual, words, called);

  const [plural] = pagesCalled(manual, words);
  if (plural) return pageResult(manual, words, plural);

  const [best, second, ...rest] = search(manual, words, MAX_CHOICES);
  if (entries.length > 0 && !(isEveryday && best && isGuide(best.section.page)))
    return entriesResult(manual, words, entries);

  const headed = allSections(manual).filter(
    ({ title }) => normal(title) === normal(words) && normal(words) !== '',
  );
  if (headed.length > 0) return oneOf(headed.slice(0, MAX_CHOICES));

  if (!best) return { kind: 'none', similar: similarTo(manual, words) };
  const next = [...(second ? [second] : []), ...rest].map(({ section }) => section);
  if (!second || best.score >= second.score * LEAD)
    return { kind: 'section', section: best.section, also: next.slice(0, 3) };
  return { kind: 'several', sections: [best.section, ...next] };
}

const firstOf = (page: Page): Section => sectionsOf(page)[0] as Section;

const oneOf = (sections: readonly Section[]): SearchResult =>
  sections[0] && sections.length === 1
    ? { kind: 'section', section: sections[0], also: [] }
    : { kind: 'several', sections };

/** Pages by their path, or by its last part: `guide/sessions`, `sessions`, `rateLimit`. */
export function pagesNamed(manual: Manual, name: string): readonly Page[] {
  const exact = manual.pages.get(name);
  if (exact) return [exact];
  const words = normal(name);
  if (words === '') return [];
  return [...manual.pages.values()].filter(
    (page) => normal(page.name) === words || (!name.includes('/') && lastPart(page) === words),
  );
}

/** Pages whose name or title is this word, in the singular or plural. Guides come first. */
const pagesCalled = (manual: Manual, words: string): readonly Page[] =>
  [...manual.pages.values()]
    .filter((page) => isCalled(page, singular(words)))
    .sort((a, b) => Number(isForLookup(a)) - Number(isForLookup(b)));

const isCalled = (page: Page, name: string): boolean =>
  name !== '' && (singular(lastPart(page)) === name || singular(page.title) === name);

/** Pages for looking up an error or the plugin API. They rank below guides. */
const isForLookup = ({ name }: Page): boolean => /^errors(?:\/|$)|^reference\/plugin-api$/.test(name);

const isGuide = (page: Page): boolean => !isForLookup(page) && !page.name.startsWith('reference/');

const entriesResult = (manual: Manual, words: string, entries: readonly Entry[]): SearchResult => ({
  kind: 'entries',
  entries: entries.slice(0, MAX_ENTRIES),
  section: bestFor(manual, words, entries),
});

function pageResult(manual: Manual, words: string, page: Page): SearchResult {
  const rows = entriesOf(manual)
    .filter(({ names }) => names.some((name) => name === words || name.startsWith(`${words}.`)))
    .map(({ section }) => section);
  const also = new Set([...pagesCalled(manual, words).map(firstOf), ...rows]);
  return {
    kind: 'section',
    section: firstOf(page),
    also: [...also].filter((section) => section.page !== page),
  };
}

/** The best section about a name: in the pages that its rows link to, else in any page outside the reference. */
function bestFor(manual: Manual, words: string, entries: readonly Entry[]): Section | undefined {
  const linked = new Set(entries.flatMap(({ pages }) => pages));
  const hits = search(manual, words.replace(/^--|^fwk /, ''), 100).filter(
    ({ section }) => !section.page.name.startsWith('reference/'),
  );
  return (hits.find(({ section }) => linked.has(section.page)) ?? hits[0])?.section;
}

function similarTo(manual: Manual, words: string): readonly string[] {
  const pages = [...manual.pages.keys()].map((name) => name.split('/').at(-1) ?? '');
  const codes = [...sectionsByAddress(manual).keys()].filter((address) => /^FWK\d{3}$/.test(address));
  const known = new Set([...pages, ...codes, ...entriesOf(manual).flatMap((entry) => entry.names)]);
  const code = `FWK${words}`;
  if (known.has(code)) return [code];
  const limit = Math.max(1, Math.floor(words.length / 3));
  return [...known]
    .map((name) => ({ name, far: distance(words.slice(0, 100).toLowerCase(), name.toLowerCase()) }))
    .filter(({ far }) => far <= limit)
    .sort((a, b) => a.far - b.far)
    .slice(0, 5)
    .map(({ name }) => name);
}

/** Words of questions that carry no meaning of their own. */
const EMPTY = new Set(
  'a an and are can do does for from how i in is it my of on or should the to what when where which why with you'.split(
    ' ',
  ),
);

/** The words of a question, in lower case, each once, without empty words unless there are no others. */
function wordsOf(question: string): string[] {
  const words = question
    .slice(0, MAX_QUESTION)
    .toLowerCase()
    .match(/[\p{L}\p{N}_$@]+(?:[.-][\p{L}\p{N}_$]+)*/gu);
  const significant = words?.filter((word) => !EMPTY.has(word)) ?? [];
  return [...new Set(significant.length > 0 ? significant : words)].slice(0, MAX_WORDS);
}

/** Lower case, letters and digits only: `rate-limit`, `rateLimit` and `Rate limit` are the same. */
function normal(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** The same without a final `s`. It is only compared, so it need not be a word: `cor` for `cors`. */
function singular(text: string): string {
  return normal(text.slice(0, MAX_QUESTION)).replace(/(?<=.)s$/, '');
}

const lastPart = ({ name }: Page): string => normal(name.split('/').at(-1) ?? '');

const isWord = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_$]/u.test(character);

/** How many words of `text` start with `word`, counted up to ten. A number only matches a whole number: not 104 in 1048576. */
function countStarts(text: string, word: string): number {
  const after = /\d$/.test(word) ? /\d/ : undefined;
  let count = 0;
  for (let at = text.indexOf(word); at !== -1 && count < 10; at = text.indexOf(word, at + word.length))
    if (!isWord(text[at - 1]) && !after?.test(text[at + word.length] ?? '')) count++;
  return count;
}

/** Whether a word of a title starts with `word`, or is its singular. Both are in lower case. */
const isInTitle = (title: string, word: string): boolean =>
  countStarts(title, word) > 0 ||
  title.split(/[^\p{L}\p{N}_$]+/u).some((one) => singular(one) === singular(word));

/** The sections that contain all words of a question or are named by it, else those that contain any word. The best come first. */
export function search(
  manual: Manual,
  question: string,
  limit: number,
): readonly { readonly section: Section; readonly score: number }[] {
  const words = wordsOf(question);
  if (words.length === 0) return [];
  // `log in` and `rate limit` are two words of a question, and one name.
  const isOneWord = words.some((word) => singular(word) === singular(question));
  const rated = allSections(manual).map((section) => {
    const scores = words.map((word) => rate(manual, section, word));
    const named = isOneWord ? 0 : rateName(manual, section, question);
    const score = scores.reduce((sum, one) => sum + one, named);
    return { section, score, isFull: named > 0 || scores.every((one) => one > 0) };
  });
  const full = rated.filter(({ isFull }) => isFull);
  return (full.length > 0 ? full : rated.filter(({ score }) => score > 0))
    .sort((a, b) => b.score - a.score)
    .slice(0, limit);
}

function rate(manual: Manual, section: Section, word: string): number {
  const { title, text, code } = searchable(section);
  const squeezed = normal(word);
  const named = rateName(manual, section, word);
  let score = named;
  if (named === 0 && squeezed !== '') {
    if (section.id === '')
      score = isInTitle(title, word) || lastPart(section.page).startsWith(squeezed) ? 12 : 0;
    else if (singular(title) === singular(word)) score = 14;
    else if (isInTitle(title, word)) score = 9;
  }
  const found = countStarts(text, word);
  if (found > 0) score += 1 + Math.min(found, 6) / 2;
  if (countStarts(code, word) > 0) score += 2;
  return isForLookup(section.page) && named === 0 ? score / 2 : score;
}

/** How well a section matches a name; 0 if it does not match. */
function rateName(manual: Manual, section: Section, words: string): number {
  if (addressOf(section.page, section.id) === words.toUpperCase()) return 32;
  const place = sectionsOn(manual, words).indexOf(section);
  if (place !== -1) return place === 0 ? 32 : 24 - place;
  return section.id === '' && isCalled(section.page, singular(words)) ? 24 : 0;
}

interface Searchable {
  readonly title: string;
  readonly text: string;
  /** Inline code and code blocks, separated by line breaks. */
  readonly code: string;
}

const prepared = new WeakMap<Section, Searchable>();

function searchable(section: Section): Searchable {
  const known = prepared.get(section);
  if (known) return known;
  const code = [...section.text.matchAll(/`([^`\n]+)`|^ *```\w*\n([\s\S]*?)^ *```$/gm)]
    .map(([, inline, block]) => inline ?? block ?? '')
    .join('\n');
  const searchable = {
    title: section.title.toLowerCase(),
    text: plain(section.text.replace(/^ *(?:```|\|[ :|-]+\|$).*$/gm, '')).toLowerCase(),
    code: code.toLowerCase(),
  };
  prepared.set(section, searchable);
  return searchable;
}
