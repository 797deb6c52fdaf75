import type { Followed, Handed, Target } from './flow.js';
import type { Imported } from './names.js';
import type { ModuleState } from './state.js';
import type { Export, Part } from './units.js';

/** A place that cannot be followed: what is reached there counts as everything. */
export interface Blind {
  /** From 1. */
  readonly line: number;
  readonly why: string;
  /** Whether it may lead to any module of the project. */
  readonly isModule: boolean;
}

/** A part of a module that can be reached, and changed, by itself. */
export interface Unit extends Pick<Part, 'name' | 'isState' | 'isWritten'> {
  readonly id: UnitId;
  /** Units of the same module that it leads to. */
  readonly uses: ReadonlySet<string>;
  readonly imports: readonly Imported[];
  /** Specifiers of what it imports while it runs. */
  readonly later: ReadonlySet<string>;
  readonly env: ReadonlySet<string>;
  /** Templates; `*` for any. */
  readonly views: ReadonlySet<string>;
  /** Node's modules that it gets without an import. */
  readonly builtins: ReadonlySet<string>;
  /** Globals that are ways to the network. */
  readonly net: ReadonlySet<string>;
  readonly blind: readonly Blind[];
}

/** Where `ctx` comes into a module from another one, or from a convention. */
export type Entrance =
  | { readonly kind: 'wrappers' }
  /** Of what a unit makes, or of all that the module exports. */
  | { readonly kind: 'convention'; readonly unit?: string }
  /** A parameter of what a unit declares, or of a member of what the default export makes. */
  | { readonly kind: 'parameter'; readonly unit: string; readonly index: number; readonly value: Followed }
  | { readonly kind: 'property'; readonly name: string; readonly value: Followed };

/** What a module does with the `ctx` that comes in at one entrance. */
export interface Stream {
  readonly reads: readonly {
    readonly unit: string;
    readonly key: string;
    readonly member: string;
    readonly line: number;
    /** Whether what is read is changed there in place, or gets another value. */
    readonly isWriting?: true | undefined;
    /** Whether it gets another value there, and nobody looks at the one that it had. */
    readonly isAssigned?: true | undefined;
  }[];
  /** Where a value of ctx, or what is in it, is handed to a function that may change it. */
  readonly handed: readonly {
    readonly unit: string;
    readonly key: string;
    readonly target: Handed;
    readonly index: number;
    readonly line: number;
  }[];
  readonly passes: readonly {
    readonly unit: string;
    readonly target: Target;
    readonly index: number;
    readonly value: Followed;
    readonly line: number;
  }[];
  readonly holds: readonly { readonly property: string; readonly value: Followed }[];
  readonly losses: readonly { readonly unit: string; readonly blind: Blind }[];
}

/** What one module declares, mentions and does with `ctx`, from its text alone. Never changed once it is made. */
export interface Facts {
  readonly file: string;
  readonly text: string;
  /** Why it cannot be parsed; undefined where it can. */
  readonly error: { readonly message: string; readonly line: number } | undefined;
  readonly imports: ReadonlySet<string>;
  /** Those of the specifiers that are imported for what they do alone. */
  readonly bare: ReadonlySet<string>;
  readonly exports: ReadonlyMap<string, Export>;
  readonly stars: readonly string[];
  readonly units: ReadonlyMap<string, Unit>;
  /** Units that are members of what the default export makes. */
  readonly members: readonly string[];
  /** Units that the code of these members stands in, and that others may get them by: the default export, a class, a function. */
  readonly holders: readonly string[];
  /** Names of properties that it reads. */
  readonly properties: ReadonlySet<string>;
  /** Undefined where a unit is no one function or class, so that what it is given cannot be followed. */
  flow(entrance: Entrance): Stream | undefined;
  /** Whether the function that a unit is changes what it gets as parameter `index`. */
  changes(unit: string, index: number): boolean;
  /** What may change while the program runs. */
  state(): ModuleState;
  /** Whether it and another text of the same file lead to the same: only what their units say may differ. */
  isLike(other: Facts): boolean;
  /** What a unit says, the same for all ways to write it: without types, comments and layout. */
  print(unit: string): string;
}

/** A text that only this entrance of a module has. */
export function keyOf(entrance: Entrance): string {
  if (entrance.kind === 'wrappers') return entrance.kind;
  if (entrance.kind === 'convention') return `${entrance.kind} ${entrance.unit ?? ''}`;
  const { path, key = '' } = entrance.value;
  const place = entrance.kind === 'property' ? entrance.name : `${entrance.unit} ${entrance.index}`;
  return `${entrance.kind} ${place} ${path.join('.')}:${key}`;
}

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
