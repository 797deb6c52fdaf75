/**
 * Stores sessions between requests. Each method may be asynchronous; what it throws is answered with 500. Ids are
 * random, texts are opaque.
 */
export interface SessionStore {
  /** Read the text of `id`, if there is one. */
  get(id: string): Promise<string | null | undefined> | string | null | undefined;
  /** Store `text` under `id`, in place of an earlier one. It may be dropped after `maxAge` seconds. */
  set(id: string, text: string, maxAge: number): unknown;
  /** Delete the text of `id`, if there is one. */
  delete(id: string): unknown;
  /** Close connections: the process stops. */
  close?(): unknown;
}
