import { REDACTED } from '../../scope/index.js';
import { decoded } from '../http/internal.js';
import { comparableName } from './options.js';

/** Endings of the names of fields with secrets. */
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

/** Matches the usual names and `more`: `apiKey`, `X-API-Key` and `stripe_api_key` alike. */
export function secretNames(more: readonly string[]): IsSecret {
  const endings = [...SECRET, ...more.map(comparableName)];
  const known = new Map<string, boolean>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const given = comparableName(name.slice(-MAX_NAME));
    // `password2` is also a secret.
    const counted = given.replace(/\d+$/, '');
    const answer = endings.some((ending) => given.endsWith(ending) || counted.endsWith(ending));
    // Clients may choose names, so the cache is limited.
    if (known.size < MAX_KNOWN) known.set(name, answer);
    return answer;
  };
}

const MAX_KNOWN = 1_000;
/** Maximum number of trailing characters of a name that can matter. */
const MAX_NAME = 200;

/** Names of query parameters with secrets of OAuth, sessions and signed URLs. As names of fields, they are common. */
const SECRET_PARAMETERS: ReadonlySet<string> = new Set([
  'code',
  'state',
  'session',
  'sessionid',
  'sid',
  'sig',
  'signature',
  'xamzcredential',
  'xamzsignature',
]);

export const redactedQuery = (search: string, isSecret: IsSecret): string =>
  search
    .split('&')
    .map((pair) => {
      const [name = ''] = pair.split('=', 1);
      return pair.includes('=') && isSecretParameter(decoded(name), isSecret) ? `${name}=${REDACTED}` : pair;
    })
    .join('&');

const isSecretParameter = (name: string, isSecret: IsSecret): boolean =>
  isSecret(name) || (name.length < MAX_NAME && SECRET_PARAMETERS.has(comparableName(name)));
