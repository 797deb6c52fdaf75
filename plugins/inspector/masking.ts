import { isObject } from '../../kernel/index.js';

/** What is shown in place of a secret. */
export const MASKED = '[redacted]';

/** Whether a header or field of that name holds a secret: `apiKey`, `X-API-Key`, `stripe_api_key`. */
export const isSecret = (name: string): boolean => SECRET.test(name.slice(-MAX_NAME).replace(/[^a-z]/gi, ''));

const SECRET =
  /(?:authorization|cookies?|credentials|passw(?:or)?ds?|passphrase|secrets?|tokens?|apikey|sessionid)$/i;
/** No name ends in more, in characters. */
const MAX_NAME = 200;
/** The most levels of a value that are shown. */
const MAX_DEPTH = 20;

/** A copy of a value that JSON has, without secrets. */
export function masked(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) return '…';
  if (Array.isArray(value)) return value.map((one) => masked(one, depth + 1));
  if (!isObject(value)) return value;
  const shown: Record<string, unknown> = Object.create(null);
  for (const [name, member] of Object.entries(value))
    shown[name] = isSecret(name) && member !== null ? MASKED : masked(member, depth + 1);
  return shown;
}

/** A text that begins as JSON does, without the texts and numbers of fields with secrets. */
export const maskedText = (text: string): string =>
  text.replace(
    /"([^"\\\n]{1,200})"(\s{0,8}:\s{0,8})("(?:[^"\\]|\\.)*"?|[\w.+-]+)/g,
    (all, name: string, colon: string) => (isSecret(name) ? `"${name}"${colon}"${MASKED}"` : all),
  );

/** A query string, or the text of a form, without secrets. */
export const maskedForm = (text: string): string =>
  text
    .split('&')
    .map((pair) => {
      const at = pair.indexOf('=');
      return at !== -1 && isSecret(decoded(pair.slice(0, at))) ? `${pair.slice(0, at)}=${MASKED}` : pair;
    })
    .join('&');

/** A path with its query string. */
export function maskedTarget(target: string): string {
  const mark = target.indexOf('?');
  return mark === -1 ? target : `${target.slice(0, mark)}?${maskedForm(target.slice(mark + 1))}`;
}

/** Names and values in turn, as Node has them, as pairs without secrets. */
export function maskedHeaders(raw: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name = '', value = ''] = raw.slice(index, index + 2);
    pairs.push([name, isSecret(name) ? maskedCookie(name, value) : value]);
  }
  return pairs;
}

/** Of cookies, names and attributes are no secret. */
const maskedCookie = (name: string, value: string): string => {
  if (/^set-cookie$/i.test(name)) return value.replace(/=[^;]*/, `=${MASKED}`);
  return /^cookie$/i.test(name) ? value.replace(/=[^;]*/g, `=${MASKED}`) : MASKED;
};

function decoded(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}
