import { isObject } from '../../kernel/index.js';
import { REDACTED, redactSecretValues } from '../../scope/index.js';
import { decoded } from '../http/internal.js';

/** Whether the value of a field must be hidden, judging by its name. */
export type IsSecret = (name: string) => boolean;

/** The names of the serving version, which also apply to stored records. `fwk dev` has one project. */
let known: IsSecret = () => false;

export function maskBy(isKnown: IsSecret): void {
  known = isKnown;
}

/** Whether a header or field of that name holds a secret: `apiKey`, `X-API-Key`, `stripe_api_key`. */
export const isSecret = (name: string): boolean =>
  known(name) || SECRET.test(name.slice(-MAX_NAME).replace(/[^a-z]/gi, ''));

const SECRET =
  /(?:authorization|cookies?|credentials|passw(?:or)?ds?|password(?:confirm(?:ation)?|repeat)|pwd|passphrase|secrets?|tokens?|jwt|apikey|privatekey|sessionid|(?:secret|secretaccess|signing|encryption)key)$/i;
/** Maximum number of trailing characters of a name that can matter. */
const MAX_NAME = 200;
/** Maximum number of levels of a value that are shown. */
const MAX_DEPTH = 20;

export function maskValue(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) return '…';
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map((one) => maskValue(one, depth + 1));
  if (!isObject(value)) return value;
  const shown: Record<string, unknown> = Object.create(null);
  for (const [name, member] of Object.entries(value))
    shown[name] = isSecret(name) && member !== null ? REDACTED : maskValue(member, depth + 1);
  return shown;
}

/** The name in front of a value, in JSON and in code: `"token": …`, `token: "…"`. */
const NAMED =
  /"((?:[^"\\\n]|\\[^\n]){1,200})"\s{0,8}:\s{0,8}(?=\S)|\b([A-Za-z_][\w-]{0,60})\s{0,4}[:=]\s{0,4}(?=\\?["'])/g;

/** Any text without the secrets in fields of JSON, URLs, GraphQL and headers. */
export function maskText(whole: string): string {
  const text = redactSecretValues(whole);
  let shown = '';
  let from = 0;
  NAMED.lastIndex = 0;
  for (let found = NAMED.exec(text); found; found = NAMED.exec(text)) {
    if (!isSecret(found[1] === undefined ? (found[2] ?? '') : unescaped(found[1]))) continue;
    shown += `${text.slice(from, NAMED.lastIndex)}"${REDACTED}"`;
    from = endOfValue(text, NAMED.lastIndex);
    NAMED.lastIndex = from;
  }
  return maskQueries(shown + text.slice(from));
}

/** The end of the value that begins at `start`: the end of the text if the value is truncated. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const quoted = /\\?(["'])/y;
    quoted.lastIndex = at;
    const quote = quoted.exec(text);
    const character = text.charAt(at);
    if (quote) at = endOfText(text, quoted.lastIndex, quote[0]);
    else {
      if (character === '[' || character === '{') depth += 1;
      else if (character === ']' || character === '}') depth -= 1;
      else if (depth === 0) return at + (/^[\w.+-]*/.exec(text.slice(at, at + MAX_NAME))?.[0].length ?? 0);
      at += 1;
    }
  } while (depth > 0 && at < text.length);
  return at;
}

/** The index after the next `quote`, which is written `\"` in a text within another text. */
function endOfText(text: string, start: number, quote: string): number {
  for (let at = start; at < text.length; at += 1) {
    if (text.startsWith(quote, at)) return at + quote.length;
    if (text[at] === '\\') at += 1;
  }
  return text.length;
}

/** Hide URL parameters in a text, and credentials in the format of headers. */
const maskQueries = (text: string): string =>
  text
    .replace(/([?&#;])([^\s=&?#;"'<>]{1,200})=[^\s&#;"'<>\\]*/g, (all, mark: string, name: string) =>
      isSecret(decoded(name.replaceAll('+', ' '))) ? `${mark}${name}=${REDACTED}` : all,
    )
    .replace(/\b(Bearer|Basic) [\w.~+/=-]{6,}/g, `$1 ${REDACTED}`)
    .replace(PASSWORD_IN_URL, `$1${REDACTED}@`);

/** `postgres://shop:s3cret@db/`, which drivers include in error messages. */
const PASSWORD_IN_URL = /\b([a-z][a-z\d+.-]{1,30}:\/\/[^\s/:@"'<>?#]{0,100}:)[^\s/@"'<>]{1,200}@/gi;

export const maskForm = (text: string): string =>
  text
    .split('&')
    .map((pair) => {
      const at = pair.indexOf('=');
      return at !== -1 && isSecret(decoded(pair.slice(0, at).replaceAll('+', ' ')))
        ? `${pair.slice(0, at)}=${REDACTED}`
        : pair;
    })
    .join('&');

export function maskTarget(target: string): string {
  const mark = target.indexOf('?');
  return mark === -1 ? target : `${target.slice(0, mark)}?${maskForm(target.slice(mark + 1))}`;
}

export function maskHeaders(raw: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name = '', value = ''] = raw.slice(index, index + 2);
    // Some headers contain URLs: Location, Referer, Link.
    pairs.push([name, isSecret(name) ? maskCookie(name, value) : maskQueries(value)]);
  }
  return pairs;
}

/** The names and attributes of cookies are not secret. */
const maskCookie = (name: string, value: string): string => {
  if (/^set-cookie$/i.test(name)) return value.replace(/=[^;]*/, `=${REDACTED}`);
  return /^cookie$/i.test(name) ? value.replace(/=[^;]*/g, `=${REDACTED}`) : REDACTED;
};

function unescaped(name: string): string {
  try {
    return String(JSON.parse(`"${name}"`));
  } catch {
    return name;
  }
}
