import { isObject } from '../../kernel/index.js';
import type { CorsOptions } from './options.js';

/** A name of a header or a method (RFC 9110 §5.6.2). */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const KEYS = ['origin', 'credentials', 'methods', 'allowedHeaders', 'exposedHeaders', 'maxAge'];
const ORIGIN = 'An origin is a scheme, a host and perhaps a port, such as "https://shop.example"';

/** What is wrong with options, one sentence each, which begin with what `at` makes of the key: `has "cors.origin"`. */
export function mistakesIn(options: unknown, at: (key: string) => string): string[] {
  if (!isObject(options)) return [`${at('')} is ${show(options)}. Make it an object of options, or false.`];
  const mistakes = Object.keys(options)
    .filter((key) => !KEYS.includes(key))
    .map((key) => `${at(key)} is not an option. There are ${KEYS.join(', ')}.`);
  const check = (key: keyof CorsOptions, isRight: (value: unknown) => boolean, advice: string): void => {
    const value = options[key];
    if (value !== undefined && !isRight(value)) mistakes.push(`${at(key)} is ${show(value)}. ${advice}.`);
  };
  const isTokens = (value: unknown): boolean =>
    Array.isArray(value) && value.every((item) => typeof item === 'string' && TOKEN.test(item));
  check('credentials', (value) => typeof value === 'boolean', 'Make it true or false');
  check('methods', isTokens, 'Make it a list of methods such as "GET"');
  check('allowedHeaders', isTokens, 'Make it a list of names of headers');
  check('exposedHeaders', isTokens, 'Make it a list of names of headers');
  check(
    'maxAge',
    (value) => Number.isSafeInteger(value) && Number(value) >= 0,
    'Make it a whole number of seconds',
  );
  return [...mistakes, ...originMistakes(options.origin, at('origin'))];
}

function originMistakes(origin: unknown, what: string): string[] {
  if (origin === undefined || origin === true || typeof origin === 'function') return [];
  if (origin instanceof RegExp)
    return [`${what} is ${origin}. Write "https://*.shop.example" for all names below one, or a function.`];
  const list: readonly unknown[] = Array.isArray(origin) ? origin : [origin];
  return list.flatMap((one) => {
    if (typeof one !== 'string') return [`${what} is ${show(one)}. ${ORIGIN}.`];
    const right = serialized(one);
    if (right === one) return [];
    return [
      `${what} is "${one}". ${right === undefined ? ORIGIN : `Write "${right}", as browsers send it`}.`,
    ];
  });
}

/** An origin, or a pattern of some, as browsers write it (HTML Standard, serialization of an origin); undefined for what is none. */
function serialized(text: string): string | undefined {
  if (text === '*' || text === 'null') return text;
  const [, scheme = '', below = '', rest = ''] =
    /^([a-z][\w+.-]*:\/\/)(\*\.)?([^*]*?(?::\*)?)$/i.exec(text) ?? [];
  const anyPort = rest.endsWith(':*') ? ':*' : '';
  const plain = scheme + (anyPort ? rest.slice(0, -2) : rest);
  if (rest === '' || !URL.canParse(plain)) return undefined;
  const { origin, protocol, host } = new URL(plain);
  // Those of apps and extensions have no origin that URL knows.
  const written = origin === 'null' ? `${protocol}//${host}` : origin;
  return written.replace('//', `//${below}`) + anyPort;
}

/** What is wrong with options together, when all that they come from has been put together. */
export function conflictsIn({ origin, credentials, ...lists }: CorsOptions, where: string): string[] {
  if (origin === undefined) return [`${where} lets no origin ask. Add origin: 'https://shop.example', say.`];
  if (!credentials) return [];
  if (origin === true || [origin].flat().includes('*'))
    return [
      `${where} lets pages of every origin ask with credentials: each page that a visitor opens could act as that visitor. Name the origins, or leave out credentials.`,
    ];
  const names = (['methods', 'allowedHeaders', 'exposedHeaders'] as const).filter((key) =>
    lists[key]?.includes('*'),
  );
  return names.map(
    (key) =>
      `${where} has "*" in ${key}, which browsers take for a name beside credentials. Write the names.`,
  );
}

const show = (value: unknown): string =>
  typeof value === 'function' ? 'a function' : (JSON.stringify(value) ?? String(value));
