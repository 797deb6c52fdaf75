import type { Config } from '../../app/open-kernel.js';
import type { BaseRoute, Plugin, Runtime } from '../../kernel/index.js';
import type { RuntimeCtx } from '../../scope/index.js';

/** The project that a plugin is tested on, and a check of its work. */
export interface PluginFixtures {
  /**
   * A project that uses the plugin: source texts by path, relative to the project. At least one file of each kind that the plugin claims.
   * They can import whatever the package in `dir` can import, and that package by its own name.
   */
  readonly files: Readonly<Record<string, string>>;
  /**
   * Mistakes that the plugin has to report: invalid texts of files that it claims. Each is tested separately, replaces the file in `files`
   * with the same path or is added, and has to be reported with its path.
   */
  readonly broken?: Readonly<Record<string, string>>;
  /** New texts for some of `files`, as after an edit. Default: every file that the plugin claims gets a line without effect. */
  readonly changed?: Readonly<Record<string, string>>;
  /** `fwk.config` of the project, for example with the plugin's options. */
  readonly config?: Omit<Config, 'plugins'> & Readonly<Record<string, unknown>>;
  /** Other external plugins that it needs. */
  readonly plugins?: readonly Plugin[];
  /** Targets of `fwk generate` that it adds, in addition to `types`, `scaffold` and `skills`. */
  readonly targets?: readonly string[];
  /**
   * Throws or rejects if the plugin does not work in a running project. Called for the first version, for each version that replaces it,
   * and again after a broken version was rolled back. Default: no check.
   */
  readonly works?: (app: PluginTestApp) => unknown;
  /** Whether a claimed file may export nothing, because importing it is enough. Default: false. */
  readonly acceptsEmptyModules?: boolean;
  /** Names of global variables that its imported libraries set. */
  readonly globals?: readonly string[];
  /** A directory of the package whose dependencies the files import. Default: the current directory. */
  readonly dir?: string;
}

/** A running project of fixtures, the argument of `works`. */
export interface PluginTestApp {
  /** Its address: `http://localhost:34567/`; undefined if the plugin `http` is disabled. */
  readonly url: string | undefined;
  /** Like `fetch`, with a path. Each request has its own connection. */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  readonly routes: readonly BaseRoute[];
  /** The singletons, including those in the fixtures' files, which no generated types declare. */
  readonly ctx: RuntimeCtx & Readonly<Record<string, unknown>>;
  /** Where the plugin stores resources that outlive versions. */
  readonly runtime: Runtime;
}
