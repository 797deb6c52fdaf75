import { createHash } from 'node:crypto';

/** What an index of PostgreSQL takes is about 2,700 bytes. */
const MAX_KEY_BYTES = 1_000;

/** Names as one text, which no other names give, and which PostgreSQL can store: it takes no NUL. A long one is a digest of it. */
export function keyOf(...names: readonly string[]): string {
  const key = JSON.stringify(names);
  return Buffer.byteLength(key) <= MAX_KEY_BYTES ? key : createHash('sha256').update(key).digest('hex');
}
