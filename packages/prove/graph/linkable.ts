import type { Blind, Facts } from './facts.js';
import type { Destinations } from './linker.js';
import type { UnitId } from './unit-id.js';

/** What is outside of the modules of the project. */
export interface Leaves {
  /** Names of environment variables; `*` for any. */
  readonly env: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
  /** Node's modules: `node:fs`. */
  readonly builtins: ReadonlySet<string>;
  /** Globals that are ways to the network: `fetch`. */
  readonly net: ReadonlySet<string>;
  /** Templates; `*` for any. */
  readonly views: ReadonlySet<string>;
  readonly blind: readonly (Blind & { readonly file: string })[];
}

/** What some units reach. */
export interface Reached {
  readonly units: ReadonlySet<UnitId>;
  /** The keys of `ctx` that are used. */
  readonly touched: ReadonlySet<string>;
}

export interface Linkable {
  /** By path relative to the source directory of the project. */
  readonly modules: ReadonlyMap<string, Facts>;
  readonly destinations: Destinations;
  /** The file of each key of `ctx`; `plugin "…"` where a plugin provides it. */
  readonly providers: ReadonlyMap<string, string>;
  /** Files that conventions read. */
  readonly entries: Iterable<string>;
}
