import type {
  Contributor,
  Entry,
  Generated,
  Generation,
  Hooks,
  Logger,
  Project,
  ProjectOptions,
  ProjectPaths,
  Resolved,
} from '../kernel/index.js';

declare module '../kernel/plugin.js' {
  interface Contributor {
    /** Commands that it adds to `fwk`, in projects that have the plugin. */
    readonly commands?: readonly Command[];
    /** Its own flags of `fwk routes` and `fwk build`, and its steps of a build. */
    readonly additions?: readonly CommandAddition[];
  }
}

/** One flag of a command. A flag without `value` is a switch. */
export interface Flag {
  readonly name: string;
  /** Stands for its value in the help: `--port <n>`. */
  readonly value?: string;
  readonly description: string;
  /** The value where the flag is not given. A text: a number here would have the parser read numbers in its own way. */
  readonly fallback?: string;
  /** The name of the flag that it is about: without that one it is refused. */
  readonly of?: string;
}

/** The flags that the user gave, by name: a text, or true for a switch. */
export type Flags = Readonly<Record<string, unknown>>;

/** How a command has the project run, where that differs from `fwk dev`. */
export interface OpenOptions extends Pick<ProjectOptions, 'purpose' | 'overrides'> {
  /** Taps the hooks for this run alone, after the plugins of the project. */
  readonly apply?: (hooks: Hooks) => void;
  /** Where the run writes. Default: the terminal. */
  readonly logger?: Logger;
}

/** A project that answers this machine alone. `close` cuts off what is not answered yet. */
export interface Served extends Resolved {
  /** The address that answers: `http://127.0.0.1:40123/`. */
  readonly url: string;
}

/** The arguments and the project of one run of a command. */
export interface CommandRun {
  readonly flags: Flags;
  /** Arguments that are no flags, where the command has `operands`. */
  readonly operands: readonly string[];
  /** Where the project is that `--dir` names. Throws a BootError where that is no directory. */
  paths(): ProjectPaths;
  /** The runs of the sources of that project. Rejects with a ConfigError where its `fwk.config` is wrong. */
  open(options?: OpenOptions): Promise<Lifecycle>;
  /**
   * Serve them at a free address of this machine. Until it is closed, what is written to the console and to stdout is lost. Rejects with a
   * BootError where the project does not boot.
   */
  serve(options?: OpenOptions): Promise<Served>;
}

/** A word of the command line: a lifecycle run of the kernel. */
export interface Command {
  /** The word: lower case, with dashes. */
  readonly name: string;
  /** Its line of `fwk --help`. */
  readonly description: string;
  readonly flags?: readonly Flag[];
  /** Stands for its arguments in the help: `<name>`. Default: it takes none. */
  readonly operands?: string;
  /** Imports what runs it: nothing of a command is loaded before it is called. */
  load(): Promise<{ run(run: CommandRun): Promise<void> }>;
}

/** A part of `fwk routes` or `fwk build` that a plugin adds. */
export interface CommandAddition {
  /** `routes`: runs in place of printing the table. `build`: runs when the compiled project has been checked. */
  readonly command: 'build' | 'routes';
  /** The flag that asks for it: `--openapi`. An addition to `build` without one is part of every build. */
  readonly flag?: Omit<Flag, 'fallback'>;
  /** Imports what runs it. A BootError that `run` rejects with fails the command. The caller closes `resolved`. */
  load(): Promise<{ run(run: CommandRun, resolved: Resolved): Promise<void> }>;
}

/** One project with one set of plugins. Each method is one lifecycle run and includes the phases before it. */
export interface Lifecycle {
  /** The plugins that are switched on, by name. */
  readonly plugins: ReadonlyMap<string, Contributor>;
  /** The project's files as they were when they were last looked for. Reads directories the first time, and throws as `discover` does. */
  entries(): readonly Entry[];
  /** Find the project's files. Nothing is imported. Throws a BootError with what cannot be read, and with files that two plugins claim. */
  discover(): Project;
  /** Import the project and make its routes. Throws a BootError with everything that is wrong. */
  resolve(): Promise<Resolved>;
  /** Describe the files of `target`, from paths alone. Rejects as `discover` throws, and with a PluginError where a plugin fails. */
  generate(target: string, flags?: Generation['flags']): Promise<Generated>;
}
