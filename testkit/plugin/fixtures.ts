import type { Config } from '../../app/open-kernel.js';
import type { BaseRoute, Plugin, Runtime } from '../../kernel/index.js';
import type { RuntimeCtx } from '../../scope/index.js';

/** The project that a plugin is tried on, and what it has to do there. */
export interface PluginFixtures {
  /**
   * A project that uses the plugin: source texts by path, relative to the project. At least one file of every kind that the
   * plugin claims. They import what the package in `dir` can import, and that package by its own name.
   */
  readonly files: Readonly<Record<string, string>>;
  /**
   * Mistakes that the plugin has to report: wrong texts of files it claims. Each is tried by itself, in place of the file
   * of `files` that has the same path or beside those, and has to be reported with its path.
   */
  readonly broken?: Readonly<Record<string, string>>;
  /** Other texts for some of `files`, as an edit makes them. Default: every file that the plugin claims gets a line that does nothing. */
  readonly changed?: Readonly<Record<string, string>>;
  /** `fwk.config` of the project; its own options, say. */
  readonly config?: Omit<Config, 'plugins'> & Readonly<Record<string, unknown>>;
  /** Other plugins from outside that it needs. */
  readonly plugins?: readonly Plugin[];
  /** Targets of `fwk generate` that it brings, beside `types`, `scaffold` and `skills`. */
  readonly targets?: readonly string[];
  /**
   * Throws, or rejects, where the plugin does not do its work in a running project. Asked of the first version, of each that
   * replaces it, and again when a broken one was rolled back. Default: nothing is asked.
   */
  readonly works?: (app: PluginTestApp) => unknown;
  /** Whether a file that it claims may export nothing, since importing it is enough. Default: false. */
  readonly acceptsEmptyModules?: boolean;
  /** Names of global variables that are set by libraries it imports. */
  readonly globals?: readonly string[];
  /** A folder of the package whose dependencies the files import. Default: the current directory. */
  readonly dir?: string;
}

/** A running project of fixtures, as `works` gets it. */
export interface PluginTestApp {
  /** Where it listens: `http://localhost:34567/`; undefined where the plugin `http` is disabled. */
  readonly url: string | undefined;
  /** Ask it: `fetch`, with a path. Each request has a connection of its own. */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  readonly routes: readonly BaseRoute[];
  /** The singletons; also those of the fixtures' files, which no generated types declare. */
  readonly ctx: RuntimeCtx & Readonly<Record<string, unknown>>;
  /** Where the plugin keeps what stays while versions come and go. */
  readonly runtime: Runtime;
}
