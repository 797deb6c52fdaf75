import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Signs session ids for the cookie with HMAC-SHA-256. The first secret signs, every one verifies. */
export class Signer {
  readonly #keys: readonly KeyObject[];

  constructor(secrets: readonly string[]) {
    if (secrets.length === 0) throw new RangeError('a signer needs a secret');
    this.#keys = secrets.map((secret) => createSecretKey(secret, 'utf8'));
  }

  /** `<id>.<signature>`: base64url characters and one full stop, so the cookie needs no escapes. */
  sign(id: string): string {
    return `${id}.${signature(this.#keys[0] as KeyObject, id)}`;
  }

  /** The id in a text that `sign` made with any of the secrets; undefined for any other text. */
  verify(signed: string): string | undefined {
    const stop = signed.indexOf('.');
    if (stop === -1) return undefined;
    const id = signed.slice(0, stop);
    const given = Buffer.from(signed.slice(stop + 1));
    const known = this.#keys.some((key) => {
      const right = Buffer.from(signature(key, id));
      return right.length === given.length && timingSafeEqual(right, given);
    });
    return known ? id : undefined;
  }

  /** HMACs of `id` for one purpose, by every secret, the signing one first. */
  proofs(id: string, purpose: string): string[] {
    return this.#keys.map((key) => hmac(key, `proof:${purpose}:${id}`));
  }
}

/** The prefix keeps signatures of ids apart from whatever else is signed with the same secret. */
const signature = (key: KeyObject, id: string): string => hmac(key, `session:${id}`);

const hmac = (key: KeyObject, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url');
