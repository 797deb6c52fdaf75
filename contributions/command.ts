import type {
  Contributor,
  Entry,
  Generated,
  Generation,
  Hooks,
  Project,
  ProjectOptions,
  ProjectPaths,
  Resolved,
} from '../kernel/index.js';

declare module '../kernel/plugin.js' {
  interface Contributor {
    /** Commands that the plugin adds to `fwk`, in projects that use it. */
    readonly commands?: readonly Command[];
    /** Flags that it adds to `fwk routes` and `fwk build`, and build steps. */
    readonly additions?: readonly CommandAddition[];
  }
}

/** One flag of a command. A flag without `value` is a switch. */
export interface Flag {
  readonly name: string;
  /** Placeholder for its value in the help: `--port <n>`. */
  readonly value?: string;
  /** Whether the flag may be given without its value. The value is an empty string then. */
  readonly isOptional?: boolean;
  readonly description: string;
  /** The value if the flag is missing: a string, because a number would make the parser convert. */
  readonly fallback?: string;
  /** The name of the flag that this flag requires: without it, this flag is rejected. */
  readonly of?: string;
}

/** The flags on the command line, by name: a string, or true for a switch. */
export type Flags = Readonly<Record<string, unknown>>;

/** How a command runs the project, if that differs from `fwk dev`. */
export interface OpenOptions extends Pick<ProjectOptions, 'purpose' | 'overrides'> {
  /** Taps the hooks for this run alone, after the plugins of the project. */
  readonly apply?: (hooks: Hooks) => void;
  /** Turns the project's logger off. With `serve`, it is always off. */
  readonly isSilent?: boolean;
}

/** A project that is served to this machine only. `close` aborts unfinished requests. */
export interface Served extends Resolved {
  /** Its address: `http://127.0.0.1:40123/`. */
  readonly url: string;
}

/** The arguments and the project of one run of a command. */
export interface CommandRun {
  readonly flags: Flags;
  /** The arguments that are not flags, if the command has `operands`. */
  readonly operands: readonly string[];
  /** The paths of the project in `--dir`. Throws a BootError if it is not a directory. */
  paths(): ProjectPaths;
  /** The runs of the sources of that project. Rejects with a ConfigError if its `fwk.config` is invalid. */
  open(options?: OpenOptions): Promise<Lifecycle>;
  /**
   * Serve the sources on a free port of this machine. Until they are closed, output to the console and stdout
   * is discarded. Rejects with a BootError if the project does not boot.
   */
  serve(options?: OpenOptions): Promise<Served>;
}

/** A subcommand of `fwk`: a lifecycle run of the kernel. */
export interface Command {
  /** The subcommand: lower case, with dashes. */
  readonly name: string;
  /** Its line of `fwk --help`. */
  readonly description: string;
  readonly flags?: readonly Flag[];
  /** Placeholder for its arguments in the help: `<name>`. Default: it takes none. */
  readonly operands?: string;
  /** Imports the implementation: no code of a command is loaded before it is called. */
  load(): Promise<{ run(run: CommandRun): Promise<void> }>;
}

/** A part of `fwk routes` or `fwk build` that a plugin adds. */
export interface CommandAddition {
  /** `routes`: runs instead of printing the table. `build`: runs after the compiled project is checked. */
  readonly command: 'build' | 'routes';
  /** The flag that enables it: `--openapi`. An addition to `build` without a flag is part of every build. */
  readonly flag?: Omit<Flag, 'fallback'>;
  /** Imports the implementation. If `run` rejects with a BootError, the command fails. The caller closes `resolved`. */
  load(): Promise<{ run(run: CommandRun, resolved: Resolved): Promise<void> }>;
}

/** One project with one set of plugins. Each method is one lifecycle run and includes the phases before it. */
export interface Lifecycle {
  /** The enabled plugins, by name. */
  readonly plugins: ReadonlyMap<string, Contributor>;
  /** The project's files from the most recent scan. Reads directories the first time, and throws like `discover`. */
  entries(): readonly Entry[];
  /** Find the project's files. Throws a BootError for unreadable files, and files that two plugins claim. */
  discover(): Project;
  /** Import the project and make its routes. Throws a BootError with every problem. */
  resolve(): Promise<Resolved>;
  /** Describe the files of `target`, from paths alone. Throws like `discover`, or a plugin's PluginError. */
  generate(target: string, flags?: Generation['flags']): Promise<Generated>;
}
