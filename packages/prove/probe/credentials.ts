import { createHmac } from 'node:crypto';
import type { Visitor } from '../policy/rule.js';
import { FILL } from './requests.js';

/** Headers that name a place, not a client. A page cannot set them: the browser does (Fetch §2.2.2). */
export const OF_BROWSERS: ReadonlySet<string> = new Set(['host', 'origin', 'referer', 'sec-fetch-site']);
/** A text that may name a header, a cookie or a user. */
export const NAME = /^[a-z][\w-]{1,40}$/i;
/** The most names and passwords that are combined. */
const MOST_USERS = 16;

export interface Identities {
  /** Parts of their headers. A client with these credentials is that visitor. */
  readonly shown: ReadonlySet<string>;
  /** Values in their `ctx` and their tokens: a visitor may use paths with the own id. */
  readonly ids: ReadonlySet<string>;
  readonly credentials: readonly (readonly [name: string, value: string])[];
}

/** Texts by which visitors are recognized: parts of their headers, also of encoded ones, and values in their `ctx`. */
export function identitiesOf(visitors: readonly Visitor[]): Identities {
  const credentials = visitors.flatMap(({ headers }) =>
    Object.entries(headers).filter(([name]) => !OF_BROWSERS.has(name)),
  );
  const shown = credentials.flatMap(([, value]) => [
    ...[value, ...value.split(/[\s=;,]+/)],
    ...value.split(/; */).map((part) => part.slice(part.indexOf('=') + 1)),
  ]);
  const decoded = shown.flatMap((text) =>
    text.split('.').map((part) => Buffer.from(part, 'base64').toString()),
  );
  const asJson = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
  const texts = [...decoded, ...visitors.map(({ ctx }) => JSON.stringify(ctx, asJson))];
  const ids = texts.flatMap((text) => [...text.matchAll(/"([^"\\]*)"/g)].map(([, id = '']) => id));
  const isScheme = (text: string): boolean => /^(basic|bearer)$/i.test(text);
  const parts = [...shown, ...decoded].filter((text) => !isScheme(text));
  return { shown: new Set(parts), ids: new Set(ids), credentials };
}

const UNSIGNED_HEADER = Buffer.from('{"alg":"none"}').toString('base64url');
const SIGNATURE = /[\w+/-]+=*$/;
const SIGNED = /^((?:[\w-]+\.)?[\w-]+)\.[\w-]+$/;
const signatureOf = (claims: string, secret: string): string =>
  createHmac('sha256', secret).update(claims).digest('base64url');

/** A signed token with a space behind the JSON of its claims, which changes nothing but the text that is signed. */
const respelled = (text: string): string =>
  text.replace(/[\w-]+(?=\.[\w-]+$)/, (part) => {
    const claims = Buffer.from(part, 'base64url').toString();
    return claims.endsWith('}') ? Buffer.from(`${claims} `).toString('base64url') : part;
  });

/** Ways to change a credential that a guard must notice. The signature, or all of an opaque token, is at the end. */
const TAMPERINGS: Readonly<Record<string, (credential: string) => string>> = {
  'without its signature': (text) => text.replace(/[^\w+/=-]?[\w+/-]+=*$/, ''),
  'with an empty signature': (text) => text.replace(SIGNATURE, ''),
  'with half of its signature': (text) => text.replace(SIGNATURE, (own) => own.slice(0, own.length / 2)),
  'with another signature': (text) =>
    text.replace(SIGNATURE, (own) => `${own.startsWith('A') ? 'B' : 'A'}${own.slice(1)}`),
  'with another password': (text) => {
    const [, name] = /^([!-9;-~]+):/.exec(Buffer.from(text, 'base64').toString()) ?? [];
    return name === undefined ? text : btoa(`${name}:${FILL}`);
  },
  'with "alg": "none"': (text) => text.replace(/^[\w-]+(\.[\w-]+\.)[\w-]+$/, `${UNSIGNED_HEADER}$1`),
  'with "alg": "none" and its signature': (text) =>
    text.replace(/^[\w-]+(?=\.[\w-]+\.[\w-]+$)/, UNSIGNED_HEADER),
  'with a space behind its claims': respelled,
  ...Object.fromEntries(
    ['', 'undefined', 'null'].map((secret) => [
      `signed with the secret ${JSON.stringify(secret)}`,
      // A policy that signs with the same secret has the same signature, so the claims differ.
      (text: string) =>
        respelled(text).replace(SIGNED, (_, claims: string) => `${claims}.${signatureOf(claims, secret)}`),
    ]),
  ),
};

/** A header of a visitor with a changed credential. */
interface Tampered {
  readonly how: string;
  readonly name: string;
  readonly value: string;
}

/** The credentials of visitors, changed. Cookies that stay the same are left out, since one of them may be valid alone. */
export const tampered = ({ shown, credentials }: Identities): readonly Tampered[] =>
  credentials.flatMap(([name, value]) =>
    Object.entries(TAMPERINGS).flatMap(([how, change]) => {
      const parts = value.split(/; */).flatMap((part) => {
        const [, before = '', credential = ''] = /^(\w+ |[^\s=]+=(?=.))?(.*)$/.exec(part) ?? [];
        const changed = change(credential);
        return changed === credential || shown.has(changed) ? [] : before + changed;
      });
      return parts.length > 0 ? { how, name, value: parts.join('; ') } : [];
    }),
  );

/** A name and a password in one text, or in two if a guard reads passwords. */
export function passwordsIn(texts: readonly string[]): readonly string[] {
  const names = texts.some((text) => /^basic\b/i.test(text)) ? texts.filter((text) => NAME.test(text)) : [];
  const words = ['', ...names.slice(0, MOST_USERS)];
  const pairs = names.slice(0, MOST_USERS).flatMap((name) => words.map((word) => `${name}:${word}`));
  return [...texts.filter((text) => text.includes(':')), ...pairs];
}

/** Tokens that nobody signed, whose claims describe somebody by `text`: JSON, base64, and a JWT whose header has the claims, too. */
export function forgedTokens(text: string): readonly string[] {
  const user = { id: text, name: text, role: text, roles: [text], scope: text, admin: true };
  const claims = JSON.stringify({ alg: 'none', ...user, sub: text, user, exp: 4_102_444_800 });
  const part = Buffer.from(claims).toString('base64url');
  return [claims, part, `${part}.${part}.`];
}
