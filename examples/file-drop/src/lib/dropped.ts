/** The public data of a file, for everyone with its link. Times are ISO 8601. */
export interface Dropped {
  readonly id: string;
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** In hex, as `sha256sum` prints it. */
  readonly sha256: string;
  readonly added: string;
  readonly expires: string;
  /** The download URL. */
  readonly url: string;
}

/** The response to the sender. */
export interface Receipt extends Dropped {
  /** Removes it: `curl -X DELETE -H 'authorization: Bearer <key>' …/api/files/<id>`. */
  readonly key: string;
}

const ID = /^[\w-]{22}$/;
const KEPT = ['name', 'sha256', 'added', 'expires', 'keyHash'] as const;

/** The stored data of a file. */
export type Kept = Readonly<Record<(typeof KEPT)[number], string>> & { readonly size: number };

/** Ids are 128 random bits, so they cannot be guessed. */
export const isId = (text: string): boolean => ID.test(text);

/** Parses a Kept from the output of `JSON.stringify`; undefined for any other text. */
export function readKept(text: string): Kept | undefined {
  try {
    const value = JSON.parse(text) as Partial<Kept>;
    const isWhole = KEPT.every((key) => typeof value[key] === 'string') && typeof value.size === 'number';
    return isWhole ? (value as Kept) : undefined;
  } catch {
    return undefined;
  }
}
