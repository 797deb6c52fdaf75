import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Project } from 'fwkit/plugin';
import { type ProbeRequest, withHeader, withMethod } from './inquiry.js';

/** One way to write a request, so that a guard may take it for another. */
export interface Spelling {
  /** As people read it: "lets anonymous in, by …". */
  readonly name: string;
  /** What it changes. The answer to another path or method may be that of another route. */
  readonly changes: 'path' | 'query' | 'method' | 'header';
  /** The header that it sets, in small letters. */
  readonly header?: string;
  /** Node's parser may refuse it, and hang up: nothing else may be on its connection. */
  readonly isAlone?: boolean;
  /** The same object where there is nothing to change. */
  readonly apply: (request: ProbeRequest) => ProbeRequest;
}

export const PLAIN: Spelling = { name: 'as it is', changes: 'header', apply: (request) => request };

const onPath = (name: string, change: (path: string) => string, more: Partial<Spelling> = {}): Spelling => ({
  name,
  changes: 'path',
  apply: (request) => {
    const target = change(request.target);
    return target === request.target ? request : { ...request, target };
  },
  ...more,
});

const query = (given: string): Spelling => ({
  ...onPath(`the query ?${given}`, (path) => `${path}?${given}`),
  changes: 'query',
});

/** A spelling that sets a header. */
export const header = (name: string, value: string): Spelling => ({
  name: `${name}: ${value}`,
  changes: 'header',
  header: name.toLowerCase(),
  apply: (request) => ({ ...request, headers: withHeader(request.headers, name, value) }),
});

/** A spelling that sends a parameter of the query. */
export const parameter = (name: string, value: string): Spelling => query(`${name}=${value}`);

/** A spelling that sends a cookie. */
export const cookie = (name: string, value: string): Spelling => header('Cookie', `${name}=${value}`);

const method = (name: string, change: (request: ProbeRequest) => ProbeRequest, more = {}): Spelling => ({
  name,
  changes: 'method',
  apply: change,
  ...more,
});

const hex = (char: string): string => `%${char.charCodeAt(0).toString(16)}`;
/** `text` with the letter at `index` as `encode` writes it. */
const at = (text: string, index: number, encode: (char: string) => string): string =>
  index < 1 || index >= text.length
    ? text
    : text.slice(0, index) + encode(text.charAt(index)) + text.slice(index + 1);
/** The place of the first letter whose code has a letter in it: `%6A` and `%6a` differ. */
const lettered = (path: string): number => path.search(/[j-oz]/);
/** The second slash stands between two segments. */
const inside = (path: string, instead: string): string => path.replace(/(.)\//, `$1${instead}`);
const segment = (path: string, index: number, change: (text: string) => string): string => {
  const all = path.split('/');
  const place = Math.min(index, all.length - 1);
  all[place] = change(all[place] ?? '');
  return all.join('/');
};

const PATHS: readonly Spelling[] = [
  onPath('a slash at the end', (path) => `${path}/`),
  onPath('two slashes in front', (path) => `/${path}`),
  onPath('two slashes inside', (path) => inside(path, '//')),
  onPath('/./ inside', (path) => inside(path, '/./')),
  onPath('/x/../ in front', (path) => `/x/..${path}`),
  onPath('/x/%2e%2e/ in front', (path) => `/x/%2e%2e${path}`),
  onPath('its first letter encoded', (path) => at(path, 1, hex)),
  onPath('its last letter encoded', (path) => at(path, path.length - 1, hex)),
  onPath('its second segment encoded', (path) => segment(path, 2, (text) => [...text].map(hex).join(''))),
  onPath('every letter encoded', (path) => path.replace(/[a-z]/gi, hex)),
  onPath('a letter encoded twice', (path) => at(path, 1, (char) => hex(char).replace('%', '%25'))),
  onPath('a letter encoded in capitals', (path) =>
    at(path, lettered(path), (char) => hex(char).toUpperCase()),
  ),
  onPath('capitals', (path) => path.toUpperCase()),
  onPath('one capital', (path) => at(path, 1, (char) => char.toUpperCase())),
  onPath('%2f for a slash', (path) => inside(path, '%2f')),
  onPath('%252f for a slash', (path) => inside(path, '%252f')),
  onPath('a backslash for a slash', (path) => inside(path, '\\'), { isAlone: true }),
  onPath(';a=b at the end', (path) => `${path};a=b`),
  onPath(';a=b inside', (path) => segment(path, 1, (text) => `${text};a=b`)),
  onPath('/x/..;/ in front', (path) => `/x/..;${path}`),
  onPath('.json at the end', (path) => `${path}.json`),
  onPath('.css at the end', (path) => `${path}.css`),
  onPath('a dot at the end', (path) => `${path}.`),
  onPath('%20 at the end', (path) => `${path}%20`),
  onPath('%00 at the end', (path) => `${path}%00`),
  onPath('%09 at the end', (path) => `${path}%09`),
  onPath('an overlong slash', (path) => inside(path, '%c0%af')),
  onPath('a letter of full width', (path) => at(path, 1, () => '%ef%bd%81')),
  onPath('a fragment', (path) => `${path}#x`, { isAlone: true }),
  onPath('the absolute form', (path) => `http://localhost${path}`, { isAlone: true }),
];

const QUERIES: readonly Spelling[] = [
  query('a=1'),
  query('/login&public=true&admin=1'),
  query('_method=GET'),
  query('token=undefined&access_token=null&api_key='),
  query('debug=1&preview=1&internal=1&test=1'),
  query('user=admin&role=admin&userId=1'),
];

const METHODS: readonly Spelling[] = [
  method('HEAD', (request) => (request.method === 'GET' ? { ...request, method: 'HEAD' } : request)),
  method('OPTIONS', (request) => withMethod(request, 'OPTIONS')),
  method('its method in small letters', (request) => ({ ...request, method: request.method.toLowerCase() }), {
    isAlone: true,
  }),
  header('X-HTTP-Method-Override', 'GET'),
  header('X-Method-Override', 'OPTIONS'),
];

/** Methods of a route that takes all of them. */
export const EACH_METHOD: readonly Spelling[] = ['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD'].map((name) =>
  method(name, (request) => withMethod(request, name)),
);

/** What proxies say, and guards believe of anybody. */
const PROXIES: readonly Spelling[] = [
  header('X-Forwarded-For', '127.0.0.1'),
  header('X-Real-IP', '127.0.0.1'),
  header('X-Client-IP', '127.0.0.1'),
  header('Forwarded', 'for=127.0.0.1;host=localhost;proto=https'),
  header('X-Forwarded-Host', 'localhost'),
  header('X-Forwarded-Proto', 'https'),
  header('X-Original-URL', '/'),
  header('X-Rewrite-URL', '/login'),
  header('X-Forwarded-Prefix', '/public'),
  header('X-Middleware-Subrequest', 'middleware:middleware:middleware:middleware:middleware'),
  header('X-Internal', 'true'),
  header('X-Internal-Request', '1'),
  header('X-User', 'admin'),
  header('X-User-Id', '1'),
  header('X-Forwarded-User', 'admin'),
  header('X-Role', 'admin'),
  header('X-Admin', '1'),
  header('X-Debug', '1'),
];

const CLIENTS: readonly Spelling[] = [
  header('Host', '127.0.0.1'),
  header('Origin', 'null'),
  header('Referer', 'http://localhost/'),
  header('Sec-Fetch-Site', 'same-origin'),
  header('X-Requested-With', 'XMLHttpRequest'),
  header('Accept', 'text/html'),
  header('Content-Type', 'text/plain'),
  header('User-Agent', 'kube-probe/1.0'),
  header('User-Agent', 'Googlebot/2.1'),
  header('Purpose', 'prefetch'),
];

/** Without a signature: {"alg":"none"}, {"sub":"1","admin":true}. */
const UNSIGNED = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIiwiYWRtaW4iOnRydWV9.';

const CREDENTIALS: readonly Spelling[] = [
  header('Authorization', ''),
  header('Authorization', 'Bearer'),
  header('Authorization', 'Bearer undefined'),
  header('Authorization', 'Bearer null'),
  header('Authorization', 'bearer x'),
  header('Authorization', `Bearer ${UNSIGNED}`),
  header('Authorization', 'Basic Og=='),
  header('Authorization', 'Basic dW5kZWZpbmVkOnVuZGVmaW5lZA=='),
  header('Cookie', 'session=; token=; admin=true'),
  header('Cookie', 'session=undefined; token=undefined'),
  header('Cookie', `session=${UNSIGNED}; token=${UNSIGNED}`),
  header('X-Api-Key', ''),
  header('X-Api-Key', 'undefined'),
  header('X-Auth-Token', 'undefined'),
];

/** All of them, the plain one first. */
export const SPELLINGS: readonly Spelling[] = [
  PLAIN,
  ...PATHS,
  ...QUERIES,
  ...METHODS,
  ...PROXIES,
  ...CLIENTS,
  ...CREDENTIALS,
];

/** The most spellings that are made of what the guards of one route mention. */
const MAX_MENTIONED = 24;
/** What a module imports, exports from or imports later. */
const SPECIFIERS = /(?:\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"\n]+)\1/g;
/** Where it is linked, it looks like a module of the project. */
const FRAMEWORK = /^@?fwkit(?:\/|$)/;
/** What says where a request goes. */
const DESTINATION = /\b(?:path|url|params|raw|file|label|originalUrl|pathname|href)\b/;
const COMMENTS = /\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/[^\n]*/g;
const HEADER =
  /\bheader\(\s*(['"`])([\w-]+)\1|\bheaders(?:\.get\(\s*|\[\s*|\??\.\[\s*)(['"`])([\w-]+)\3|\bheaders\??\.(\w+)/g;
const PARAMETER =
  /\bquery\??\.(\w+)|\bquery\??\.?\[\s*(['"`])([\w-]+)\2|\bsearchParams\.(?:get|has)\(\s*(['"`])([\w-]+)\4/g;
const COOKIE = /\bcookies\??\.(\w+)|\bcookies?\??\.?(?:\(|\[)\s*(['"`])([\w-]+)\2/g;
/** Headers that say what a message is, or who sends it where that is no secret of the guard's. */
const ORDINARY: ReadonlySet<string> = new Set([
  'host',
  'upgrade',
  'connection',
  'content-length',
  'get',
  'has',
]);
/** What stands for a person is guessed by what code makes of nothing; all else by what is true. */
const SECRET = /auth|token|key|secret|session|cookie|password|signature|credential|jwt|sid\b/i;
const OF_SECRETS = ['', 'undefined', 'null'];
const OF_SWITCHES = ['1', 'true'];

interface Module {
  readonly text: string;
  /** Absolute paths of what it imports of the project. */
  readonly imports: readonly string[];
}

/** The texts of middlewares, and of the project's own modules that they import. */
export class GuardTexts {
  readonly #project: Project;
  readonly #modules = new Map<string, Promise<Module>>();
  readonly #chains = new Map<string, Promise<string>>();

  constructor(project: Project) {
    this.#project = project;
  }

  /** All that guards of a chain say, without comments. */
  of(chain: readonly string[]): Promise<string> {
    const key = chain.join('\n');
    const known = this.#chains.get(key) ?? this.#read(chain);
    this.#chains.set(key, known);
    return known;
  }

  async #read(chain: readonly string[]): Promise<string> {
    const seen = new Set(chain.map((file) => join(this.#project.source, file)));
    const texts: string[] = [];
    // Grows while it is walked.
    for (const file of seen) {
      const { text, imports } = await this.#module(file);
      texts.push(text);
      for (const one of imports) seen.add(one);
    }
    return texts.join('\n');
  }

  #module(file: string): Promise<Module> {
    const known = this.#modules.get(file) ?? this.#load(file);
    this.#modules.set(file, known);
    return known;
  }

  async #load(file: string): Promise<Module> {
    const text = (await readFile(file, 'utf8').catch(() => '')).replace(COMMENTS, '');
    const specifiers = [...text.matchAll(SPECIFIERS)]
      .map(([, , specifier = '']) => specifier)
      .filter((specifier) => !FRAMEWORK.test(specifier));
    const resolved = await Promise.all(specifiers.map((one) => this.#project.resolveImport(one, file)));
    return { text, imports: resolved.filter((path) => path !== undefined).filter(isOwn) };
  }
}

const isOwn = (path: string): boolean => isAbsolute(path) && !path.includes('node_modules');

/** Whether guards may decide by where a request goes, so that each route of a class has to be asked. */
export const looksAtDestination = (text: string): boolean => DESTINATION.test(text);

/** Spellings made of the headers, parameters and cookies that guards read. */
export function mentionedSpellings(text: string): readonly Spelling[] {
  const named = (pattern: RegExp): string[] => [
    ...new Set(
      [...text.matchAll(pattern)]
        .map((match) => match.slice(1).findLast((group) => group !== undefined && /\w/.test(group)) ?? '')
        .filter((name) => name !== '' && !ORDINARY.has(name.toLowerCase())),
    ),
  ];
  const guesses = (make: (name: string, value: string) => Spelling) => (name: string) =>
    (SECRET.test(name) ? OF_SECRETS : OF_SWITCHES).map((value) => make(name, value));
  return [
    ...named(HEADER).flatMap(guesses(header)),
    ...named(PARAMETER).flatMap(guesses(parameter)),
    ...named(COOKIE).flatMap(guesses(cookie)),
  ].slice(0, MAX_MENTIONED);
}
