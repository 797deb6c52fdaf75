import { bare } from './options.js';

export const REDACTED = '[redacted]';

/** What names of fields with secrets end in. */
const SECRET = [
  'authorization',
  'cookie',
  'cookies',
  'credentials',
  'password',
  'passwords',
  'passwd',
  'passwordconfirmation',
  'passwordconfirm',
  'passwordrepeat',
  'pwd',
  'passphrase',
  'secret',
  'secrets',
  'token',
  'apikey',
  'privatekey',
  'jwt',
];

export type IsSecret = (name: string) => boolean;

/** Answers for the usual names and `more`: of `apiKey`, `X-API-Key` and `stripe_api_key` alike. */
export function secretNames(more: readonly string[]): IsSecret {
  const endings = [...SECRET, ...more.map(bare)];
  const known = new Map<string, boolean>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const given = bare(name.slice(-MAX_NAME));
    // `password2` is one, too.
    const counted = given.replace(/\d+$/, '');
    const answer = endings.some((ending) => given.endsWith(ending) || counted.endsWith(ending));
    // Names may come from clients.
    if (known.size < MAX_KNOWN) known.set(name, answer);
    return answer;
  };
}

const MAX_KNOWN = 1_000;
/** No name ends in more, in characters. */
const MAX_NAME = 200;

export const redactedQuery = (search: string, isSecret: IsSecret): string =>
  search
    .split('&')
    .map((pair) => {
      const [name = ''] = pair.split('=', 1);
      return pair.includes('=') && isSecret(decoded(name)) ? `${name}=${REDACTED}` : pair;
    })
    .join('&');

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
