/** A unit of a module: `lib/page.ts#render`. */
export type UnitId = string;

export const idOf = (file: string, unit: string): UnitId => `${file}#${unit}`;

export const fileOf = (id: UnitId): string => id.slice(0, id.lastIndexOf('#'));

export const unitOf = (id: UnitId): string => id.slice(id.lastIndexOf('#') + 1);

/** Of `ctx`: a key, one of its members, and the line that reads it. `key` is `*` where it cannot be followed. */
export interface Read {
  readonly key: string;
  readonly member: string;
  readonly line: number;
}
