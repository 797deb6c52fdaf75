/** A file that was dropped here, as it is told to those who have its link. Times are ISO 8601. */
export interface Dropped {
  readonly id: string;
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** Of its bytes, in hex: `sha256sum` of who has fetched it says the same. */
  readonly sha256: string;
  readonly added: string;
  readonly expires: string;
  /** Where it is fetched. */
  readonly url: string;
}

/** What its sender gets. */
export interface Receipt extends Dropped {
  /** Removes it: `curl -X DELETE -H 'authorization: Bearer <key>' …/api/files/<id>`. */
  readonly key: string;
}

const ID = /^[\w-]{22}$/;
const KEPT = ['name', 'sha256', 'added', 'expires', 'keyHash'] as const;

/** What is kept of a file beside it. */
export type Kept = Readonly<Record<(typeof KEPT)[number], string>> & { readonly size: number };

/** Ids are 128 random bits: who has not been given one does not guess it. */
export const isId = (text: string): boolean => ID.test(text);

/** Reads what `JSON.stringify` made of a Kept; undefined for anything else. */
export function readKept(text: string): Kept | undefined {
  try {
    const value = JSON.parse(text) as Partial<Kept>;
    const isWhole = KEPT.every((key) => typeof value[key] === 'string') && typeof value.size === 'number';
    return isWhole ? (value as Kept) : undefined;
  } catch {
    return undefined;
  }
}
