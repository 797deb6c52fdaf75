import type { Scope } from './syntax.js';

// Bits of a mention. If a unit mentions something several times, a bit is set if it holds for all of these mentions.
/** Only the return value of the unit depends on it. */
export const TAIL = 1;
/** Its result is discarded while a module or a service is created. This includes functions that are passed on there. */
export const ONCE = 2;
/** An import, which runs the module. */
export const LOADS = 4;
/** It replaces code that fwk can't follow. Such code isn't expected to write. */
export const GUESS = 8;
/** A function that was put into a state, and not a mention. */
export const STORED = 16;
/** The code runs once, while a module or a service is created. */
export const MADE = 32;

/** A place that fwk can't follow. Code there may read any value of `ctx`. */
export type Lost = { readonly file: string; readonly line: number; readonly why: string };

/** The unit of the statements outside of all declarations. */
export const INIT = 'init';
export const ANY = '*';
/** Replaces the name of a method where the called function isn't known. */
export const CALLED = '()';

/**
 * A top-level declaration, a re-export (`>name`), a method of a class (`Log.write`), a member of the object that a function returns
 * (`default.add`), a local function of such a function (`default:add`), or an import declaration (`+./x.js`).
 */
export class Unit {
  /** The syntax tree before and after the change. */
  readonly prints: [string, string] = ['', ''];
  /** The syntax trees without the parts that only affect the return value. */
  readonly cores: [string, string] = ['', ''];
  /** Keys are `unit:name`, `import:specifier\nname`, `ctx:key\nmember`, `later:prefix`, `load:specifier`, or ids of nodes such as `env:NAME`. */
  readonly mentions = new Map<string, number>();
  /** The states that the unit writes, in the form of `writes.ts`, and the property names in its code, each with its bits. */
  readonly writes = new Map<string, number>();
  readonly spells = new Map<string, number>();
  readonly strings = new Set<string>();
  /** The states that receive functions from the unit. */
  readonly stores = new Set<string>();
  /** Further properties, such as `holder` or `header:x-token`. */
  readonly marks = new Set<string>();
  readonly lost: Lost[] = [];

  mention = (to: string, bits = 0): unknown => note(this.mentions, to, bits);
}

export const note = (all: Map<string, number>, name: string, bits: number): unknown =>
  all.set(name, (all.get(name) ?? -1) & bits);

export class Facts {
  readonly units = new Map<string, Unit>();
  readonly exports = new Map<string, string>();
  /** The modules of `export * from`. */
  readonly stars = new Set<string>();
  /** The modules of all imports. */
  readonly specifiers = new Set<string>();
  readonly defines = new Set<string>();

  unit(name: string): Unit {
    const unit = this.units.get(name) ?? new Unit();
    this.units.set(name, unit);
    return unit;
  }
}

/** The position of a node in a module. */
export interface Place {
  readonly unit: Unit;
  readonly name: string;
  readonly scope: Scope;
  /** MADE, ONCE, or both. */
  readonly bits: number;
}

/** One version of a module: 0 before the change, 1 after it. */
export interface Source {
  readonly file: string;
  readonly text: string;
  readonly version: 0 | 1;
  /** The module provides a value of `ctx`. */
  readonly isProvider: boolean;
  readonly isCompared: boolean;
  /** All keys of `ctx`. */
  readonly keys: ReadonlySet<string>;
}
