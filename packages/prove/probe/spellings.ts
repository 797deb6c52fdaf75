import type { Ask } from '../policy/findings.js';
import type { GuardInputs } from '../reach/survey.js';
import {
  forgedTokens,
  type Identities,
  identitiesOf,
  NAME,
  OF_BROWSERS,
  passwordsIn,
  tampered,
} from './credentials.js';
import { FILL, MARK, type ProbeRequest, withMethod } from './requests.js';

/** A variation of a request that may mislead a guard. */
export interface Spelling {
  /** Completes "lets anonymous in, by …". */
  readonly name: string;
  /** The part that it changes. Another path or method may belong to another route. */
  readonly changes: 'path' | 'query' | 'method' | 'header' | 'environment';
  /** The header that it sets, in lower case. */
  readonly header?: string;
  /** Returns the same object if there is nothing to change. */
  readonly apply: (request: ProbeRequest) => ProbeRequest;
}

export const PLAIN: Spelling = { name: 'as it is', changes: 'header', apply: (request) => request };

const onPath = (name: string, change: (path: string) => string): Spelling => ({
  name,
  changes: 'path',
  apply: (request) => {
    const target = change(request.target);
    return target === request.target ? request : { ...request, target };
  },
});

const query = (given: string): Spelling => ({
  ...onPath(`the query ?${given}`, (path) => `${path}?${given}`),
  changes: 'query',
});

const header = (name: string, value: string): Spelling => ({
  name: `${name}: ${value}`,
  changes: 'header',
  header: name.toLowerCase(),
  apply: (request) => ({ ...request, headers: { ...request.headers, [name.toLowerCase()]: value } }),
});

const method = (name: string, apply: Spelling['apply']): Spelling => ({ name, changes: 'method', apply });
const hex = (char: string): string => `%${char.charCodeAt(0).toString(16)}`;
const at = (text: string, index: number, encode: (char: string) => string): string =>
  index < 1 || index >= text.length
    ? text
    : text.slice(0, index) + encode(text.charAt(index)) + text.slice(index + 1);
/** The index of the first letter whose code contains a letter: `%6A` and `%6a` differ. */
const lettered = (path: string): number => path.search(/[j-oz]/);
/** Replaces the second slash, which is between two segments. */
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
  onPath('a backslash for a slash', (path) => inside(path, '\\')),
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
  onPath('a fragment', (path) => `${path}#x`),
  onPath('the absolute form', (path) => `http://localhost${path}`),
];

const QUERIES = `a=1 /login&public=true&admin=1 _method=GET token=undefined&access_token=null&api_key=
debug=1&preview=1&internal=1&test=1 user=admin&role=admin&userId=1`
  .split(/\s/)
  .map(query);

const METHODS: readonly Spelling[] = [
  method('HEAD', (request) => (request.method === 'GET' ? { ...request, method: 'HEAD' } : request)),
  method('OPTIONS', (request) => withMethod(request, 'OPTIONS')),
];

const EACH_METHOD: readonly Spelling[] = ['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD'].map((name) =>
  method(name, (request) => withMethod(request, name)),
);

/** Without a signature: {"alg":"none"}, {"sub":"1","admin":true}. */
const UNSIGNED = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIiwiYWRtaW4iOnRydWV9.';

/** Headers that guards wrongly believe: overrides, headers of proxies, headers that identify a client, and empty credentials. */
const HEADERS: readonly Spelling[] = `
X-HTTP-Method-Override: GET | X-Method-Override: OPTIONS
X-Forwarded-For: 127.0.0.1 | X-Real-IP: 127.0.0.1 | X-Client-IP: 127.0.0.1
Forwarded: for=127.0.0.1;host=localhost;proto=https | X-Forwarded-Host: localhost | X-Forwarded-Proto: https
X-Original-URL: / | X-Rewrite-URL: /login | X-Forwarded-Prefix: /public
X-Middleware-Subrequest: middleware:middleware:middleware:middleware:middleware
X-Internal: true | X-Internal-Request: 1 | X-User: admin | X-User-Id: 1 | X-Forwarded-User: admin
X-Role: admin | X-Admin: 1 | X-Debug: 1
Host: 127.0.0.1 | Origin: null | Referer: http://localhost/ | Sec-Fetch-Site: same-origin
X-Requested-With: XMLHttpRequest | Accept: text/html | Content-Type: text/plain
User-Agent: kube-probe/1.0 | User-Agent: Googlebot/2.1 | Purpose: prefetch
Expect: 100-continue | Connection: close
Authorization:  | Authorization: Bearer | Authorization: Bearer undefined | Authorization: Bearer null
Authorization: bearer x | Authorization: Bearer x.x.x | Authorization: Bearer ${UNSIGNED}
Authorization: Basic Og== | Authorization: Basic dW5kZWZpbmVkOnVuZGVmaW5lZA==
Cookie: session=; token=; admin=true | Cookie: session=undefined; token=undefined
Cookie: session=${UNSIGNED}; token=${UNSIGNED}
X-Api-Key:  | X-Api-Key: undefined | X-Auth-Token: undefined`
  .split(/ \| |\n/)
  .filter((line) => line !== '')
  .map((line) => header(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)));

const UPGRADE: Spelling = {
  ...together([header('Connection', 'Upgrade'), header('Upgrade', 'websocket')]),
  header: 'upgrade',
};

export const SPELLINGS: readonly Spelling[] = [PLAIN, ...PATHS, ...QUERIES, ...METHODS, ...HEADERS, UPGRADE];

/** Headers that the connection depends on. They are sent with usual values only. */
const OF_CONNECTIONS: ReadonlySet<string> = new Set(
  `connection expect upgrade content-length transfer-encoding ${MARK}`.split(' '),
);
/** Names of credentials get values that code makes of a missing value. Other names get values that are true. */
const SECRET = /auth|token|key|secret|session|cookie|password|signature|credential|jwt|sid\b/i;
const OF_SECRETS = ['', 'undefined', 'null'];
/** Values of switches, and a high rank. */
const OF_SWITCHES = ['1', 'true', '999'];
/** Names of headers in which gateways describe a user as JSON. */
const IDENTITY = /user|claim|identity|principal|profile|account|role|caller/i;
const VALUE = /^[\x21-\x7e]{1,64}$/;
/** A variable that is missing where `fwk prove` runs, and that changes none of the connections of an application. */
const SWITCH =
  /^(?!.*(URL|URI|HOST|PORT|DSN|PATH|DIR|FILE|SECRET|KEY|TOKEN|PASSWORD|USER|REGION|BUCKET|LEVEL)$)./;
const MOST_SETTINGS = 7;
/** The variable that is also tried with other values if it is set. */
export const MODE = 'NODE_ENV';

/** Texts of code that aren't values: specifiers of imports. */
const NO_VALUE = /^(\.{1,2}\/|node:|@?fwkit)|\.[cm]?[jt]s$/;
/** The most texts that one name gets, and the most of them that are combined with others. */
const MOST_TEXTS = 240;
const MOST_NAMES = 60;
/** A member that every object has: it finds `keys[token]` without `Object.hasOwn`. */
const INHERITED = 'constructor';

/** Environments to try: each variable that could switch guards off has its next value. `near`: the texts next to a variable. */
export function settingsOf(near: ReadonlyMap<string, readonly string[]>): readonly Record<string, string>[] {
  const switches = [...near].filter(
    ([name]) => SWITCH.test(name) && (name === MODE || process.env[name] === undefined),
  );
  const values = switches.map(([name, texts]) => {
    // A text such as `,` separates values.
    const isValue = (text: string): boolean => VALUE.test(text) && /\w/.test(text) && !NO_VALUE.test(text);
    const own = texts.filter((text) => text !== name && text !== process.env[name] && isValue(text));
    return [
      name,
      [...new Set([...(name === MODE ? [] : OF_SWITCHES), ...own])].slice(0, MOST_SETTINGS),
    ] as const;
  });
  const length = Math.max(0, ...values.map(([, own]) => own.length));
  return Array.from({ length }, (_, index) =>
    Object.fromEntries(
      values.flatMap(([name, own]) => own.slice(index, index + 1).map((one) => [name, one])),
    ),
  );
}

export function underSetting(setting: Record<string, string>): Spelling {
  const variables = Object.entries(setting).map((one) => one.join('='));
  return { ...PLAIN, name: `${variables.join(' ')} in the environment`, changes: 'environment' };
}

/** The spellings for a visitor whose guards read some values. They don't change the headers that identify the visitor. */
export function spellingsFor(
  { visitor, target }: Pick<Ask, 'visitor' | 'target'>,
  read: GuardInputs,
  known: Identities,
): readonly Spelling[] {
  const isOfPage = [...OF_BROWSERS].some((name) => name !== 'host' && name in visitor.headers);
  const isFixed = ({ header = '' }: Spelling): boolean =>
    header in visitor.headers ||
    (isOfPage && OF_BROWSERS.has(header)) ||
    (target.kind === 'ws' && /^(connection|upgrade)$/.test(header));
  // Others must not use the path of a visitor.
  const { ids } = identitiesOf([visitor]);
  const methods = target.method === 'ALL' && target.kind !== 'mcp' && !target.member ? EACH_METHOD : [];
  return [...SPELLINGS, ...methods, ...guardSpellings(read, { ...known, ids })].filter(
    (one) => !isFixed(one),
  );
}

/** Where guards read values by name, and how to send some names with one value. */
interface Place {
  readonly names: readonly string[];
  readonly set: (names: readonly string[], value: string) => Spelling;
  readonly values: (name: string) => readonly string[];
}

/** Requests with the names that guards read: each has values that code treats as true or as missing, and each text of the code. */
function guardSpellings(read: GuardInputs, identities: Identities): readonly Spelling[] {
  const { shown, ids } = identities;
  // A text may be a list, or a range of addresses: `10.4.0.0/16`.
  const values = [...new Set(read.texts.flatMap((text) => [text, ...text.split(/[,;|]|\/\d+$/)]))]
    .map((text) => text.trim())
    .filter((text) => VALUE.test(text) && !NO_VALUE.test(text));
  const texts = [INHERITED, FILL, ...values.filter((text) => !shown.has(text)).slice(0, MOST_TEXTS)];
  const isName = (text: string): boolean =>
    NAME.test(text) && !OF_BROWSERS.has(text.toLowerCase()) && !OF_CONNECTIONS.has(text.toLowerCase());
  // The cookie of a visitor has a name that other clients use, too. Code that splits the header has `sid=`.
  const names = values.map((text) => text.replace(/=$/, '')).filter(isName);
  const candidates = names.slice(0, MOST_NAMES);
  const schemes = ['Bearer', ...candidates.filter((name) => /^[A-Z]\w*[a-z]/.test(name)).slice(0, 4)];
  const tokens = texts.filter(isName).slice(0, MOST_NAMES).flatMap(forgedTokens);
  const credentials = [
    ...[...texts, ...tokens].flatMap((text) => [text, ...schemes.map((scheme) => `${scheme} ${text}`)]),
    ...candidates.map((name) => `${name} ${FILL}`),
    ...passwordsIn(texts).flatMap((text) => (shown.has(text) ? [] : `Basic ${btoa(text)}`)),
  ];
  const headers: Place = {
    names: read.headers.filter((name) => !OF_CONNECTIONS.has(name)),
    set: (names, value) => together(names.map((name) => header(name, value))),
    values: (name) =>
      name === 'authorization'
        ? credentials
        : SECRET.test(name) || IDENTITY.test(name)
          ? [...texts, ...tokens]
          : texts,
  };
  const parameters: Place = {
    // A URL can be searched for any name.
    names: read.readsUrl ? [...read.query, '*'] : read.query,
    set: (names, value) => query(names.map((name) => `${name}=${encodeURIComponent(value)}`).join('&')),
    values: () => texts,
  };
  const cookies: Place = {
    names: read.headers.includes('cookie') ? [...read.cookies, '*'] : read.cookies,
    set: (names, value) =>
      header('Cookie', names.map((name) => `${name}=${encodeURIComponent(value)}`).join('; ')),
    values: () => [...texts, ...tokens],
  };
  const paths = (read.readsUrl ? texts : []).flatMap((text) => [
    ...(text.startsWith('/') ? [query(`a=${text}`), pathOfCode(text, ids)] : []),
    ...(ids.has(text) ? [] : [pathParameter(text.replace(/^\/+/, ''))]),
  ]);
  return [
    ...[headers, parameters, cookies].flatMap((place) => placeSpellings(place, candidates)),
    ...paths,
    ...tampered(identities).map(({ how, name, value }) => ({
      ...header(name, value),
      name: `a credential ${how} in ${name}`,
    })),
  ];
}

function placeSpellings({ names, set, values }: Place, candidates: readonly string[]): readonly Spelling[] {
  const own = [...new Set(names)].filter((name) => name !== '*');
  const of = (name: string): Spelling[] => {
    const usual = SECRET.test(name) ? OF_SECRETS : OF_SWITCHES;
    return [...usual, ...values(name).filter((text) => text !== name)].map((value) => set([name], value));
  };
  const others = candidates.filter((name) => !own.includes(name));
  const isComputed = names.length > own.length && others.length > 0;
  const any = isComputed ? [...OF_SECRETS, ...OF_SWITCHES, ...values('')] : [];
  return [...own.flatMap(of), ...any.map((value) => set(others, value))];
}

function together(spellings: readonly Spelling[]): Spelling {
  const [first = PLAIN, ...others] = spellings;
  if (others.length === 0) return first;
  const name = `${first.name}, and ${others.length} other headers`;
  return {
    name,
    changes: 'header',
    apply: (request) => spellings.reduce((made, { apply }) => apply(made), request),
  };
}

const pathParameter = (text: string): Spelling => ({
  name: `${text} for a parameter`,
  changes: 'path',
  apply: (request) => {
    const target = request.target.replaceAll(`/${FILL}`, `/${encodeURIComponent(text)}`);
    const body = request.body?.replaceAll(JSON.stringify(FILL), JSON.stringify(text));
    const isSame = target === request.target && body === request.body;
    return isSame ? request : { ...request, target, ...(body === undefined ? {} : { body }) };
  },
});

/** A path in the code, where it differs from the route in parameters only: `/t/demo/list` for `/t/:name/list` and the text `/t/demo`. */
const pathOfCode = (text: string, ids: ReadonlySet<string>): Spelling =>
  onPath(`${text} in the path`, (path) => {
    const [own, parts] = [path.split('/'), text.replace(/\/$/, '').split('/')];
    const isAlike = parts.every((part, at) => part === own[at] || (own[at] === FILL && !ids.has(part)));
    return isAlike ? [...parts, ...own.slice(parts.length)].join('/') : path;
  });
