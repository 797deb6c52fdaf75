import type { Binding, Node, Scope } from './syntax.js';

// Bits of a mention. A bit is set if it holds for all mentions of the same thing in a unit.
/** Only what the unit answers depends on it. */
export const TAIL = 1;
/** Its result is thrown away while a module or a service is made. */
export const ONCE = 2;
/** It is written to, and not looked at. */
export const WRITTEN = 4;
/** It is mentioned only because something is unknown. What an unknown place may write isn't followed. */
export const GUESS = 8;
/** Not a mention: a function that was put into a state. */
export const STORED = 16;
/** A class is made once, while a module or a service is made. */
export const MADE = 32;
/** A class is named and not made: its own methods and classes that extend it do so. */
export const NAMED = 64;
/** Its value, or what a call of it returns, isn't passed to a function, assigned or put into a variable. */
export const UNSHARED = 128;
/** The unit of everything that no declaration holds. */
export const INIT = 'init';
export const ANY = '*';
/** Stands for the name of a method where a function is called that isn't known. */
export const CALLED = '()';

/** A place that can't be followed, so that any value of `ctx` may be read there. */
export interface Lost {
  readonly line: number;
  readonly why: string;
}

/**
 * A top-level declaration, an export that leads elsewhere (`>name`), a method of a class (`Log.write`), one member of what a service
 * returns (`default.add`), or a local function of a service factory (`default:add`).
 */
export class Unit {
  /** Its syntax tree before and after the change, as text. `»` and `«` begin nodes outside and inside of functions. */
  readonly prints: [string, string] = ['', ''];
  /** The same without the parts that decide only about the answer. */
  readonly cores: [string, string] = ['', ''];
  /** `unit:name`, `import:specifier\nname`, `ctx:key\nmember`, `later:prefix`, or the id of a node: `env:NAME`, `view:name`. */
  readonly mentions = new Map<string, number>();
  /** The states that it writes, and the states that it writes while it is made: see `writes.ts`. */
  readonly writes = new Set<string>();
  readonly making = new Set<string>();
  /** The property names that it spells, and that it spells while it is made. */
  readonly spells = new Set<string>();
  readonly makingSpells = new Set<string>();
  readonly strings = new Set<string>();
  /** Who gets functions from it, in the form of states. */
  readonly stores = new Set<string>();
  /** `holder`, `header:x-token` and other things to know of it. */
  readonly marks = new Set<string>();
  readonly lost: Lost[] = [];

  mention(to: string, bits = 0): void {
    this.mentions.set(to, (this.mentions.get(to) ?? -1) & bits);
  }
}

export class Facts {
  readonly units = new Map<string, Unit>();
  readonly exports = new Map<string, string>();
  /** Specifiers of `export * from`, and of all imports: declarations alone in `statics`, with a bit for each version. */
  readonly stars = new Set<string>();
  readonly statics = new Map<string, number>();
  readonly specifiers = new Set<string>();
  readonly defines = new Set<string>();

  unit(name: string): Unit {
    const unit = this.units.get(name) ?? new Unit();
    this.units.set(name, unit);
    return unit;
  }
}

/** Where in a module a node is. */
export interface Place {
  readonly unit: Unit;
  readonly name: string;
  readonly scope: Scope;
  /** Whether it runs once, while the module or the service is made, and whether its value is thrown away. */
  readonly isMaking: boolean;
  readonly isDiscarded: boolean;
}

/** One version of a module: 0 before the change, 1 after it. `isProvider`: it makes a value of `ctx`; `keys`: all keys of `ctx`. */
export interface Source {
  readonly file: string;
  readonly text: string;
  readonly version: 0 | 1;
  readonly isProvider: boolean;
  readonly isCompared: boolean;
  readonly keys: ReadonlySet<string>;
}

/** Reads one version of a module. */
export interface Reader {
  readonly facts: Facts;
  readonly source: Source;
  readonly declaring: ReadonlySet<Node>;
  readonly factories: ReadonlyMap<Node, string>;
  textAt(node: Node): string;
  lose(place: Place, node: Node, why: string): unknown;
  unitOf(binding: Binding | undefined): string | undefined;
  isUnit(name: string): boolean;
  mention(place: Place, node: Node, ...to: readonly string[]): void;
}
