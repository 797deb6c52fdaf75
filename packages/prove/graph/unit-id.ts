/** A unit of a module: `lib/page.ts#render`. */
export type UnitId = string;

export const idOf = (file: string, unit: string): UnitId => `${file}#${unit}`;

export const fileOf = (id: UnitId): string => id.slice(0, placeOf(id));

export const unitOf = (id: UnitId): string => id.slice(placeOf(id) + 1);

/** Where the name of the unit begins: that of a private member has a `#` of its own, `default.#own`. */
function placeOf(id: UnitId): number {
  const at = id.lastIndexOf('#');
  return id[at - 1] === '.' ? id.lastIndexOf('#', at - 1) : at;
}

/** Of `ctx`: a key, one of its members, and the line that reads it. `key` is `*` where it cannot be followed. */
export interface Read {
  readonly key: string;
  readonly member: string;
  readonly line: number;
  /** Whether what is read is changed there in place, or gets another value. */
  readonly isWriting?: true | undefined;
  /** Whether it gets another value there, and nobody looks at the one that it had. */
  readonly isAssigned?: true | undefined;
}

/** Everything that is in `ctx`, and every module: what stands behind what cannot be followed. */
export const ANY_KEY = '*ctx';
export const ANY_MODULE = '*modules';

/** Whether an id stands for all units of a sort, and for none by itself. */
export const isAny = (id: UnitId): boolean => id === ANY_KEY || id === ANY_MODULE;
