/**
 * Where sessions are between requests. Each method may be asynchronous; what it throws is answered with 500. Ids are
 * random, texts are opaque.
 */
export interface SessionStore {
  /** The text that is kept under `id`, if there is one. */
  get(id: string): Promise<string | null | undefined> | string | null | undefined;
  /** Keep `text` under `id`, in place of an earlier one. It may be dropped after `maxAge` seconds. */
  set(id: string, text: string, maxAge: number): unknown;
  /** Drop what is kept under `id`, if anything is. */
  delete(id: string): unknown;
  /** Let go of connections: the process stops. */
  close?(): unknown;
}
