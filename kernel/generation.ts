import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from './claims.js';
import type { ProblemCode } from './errors/index.js';
import type { Project } from './project.js';

/** A file that some plugin wants on disk. Plugins describe files; only `write` touches them. */
export interface Output {
  /** Relative to the project root. */
  readonly path: string;
  /** The whole file; for `lines`, `members` and `block` what of it is ours. */
  readonly contents: string;
  /**
   * How a file that is already there is treated. `replace`: it is ours to overwrite. `keep`: it is the user's, and overwritten
   * only by force. The others leave what is the user's as it is: `lines` appends those of our lines that are missing;
   * `members` sets the plain values of our JSON object and adds to its objects what they lack; `block` keeps ours
   * between two marker lines, in one place.
   */
  readonly ifExists: 'replace' | 'keep' | 'lines' | 'members' | 'block';
}

/** What the default export of a file has to be, for the compiler to say where it is something else. */
export interface ExportCheck {
  /** Relative to the source directory. */
  readonly file: string;
  /** The TypeScript type that its default export is assigned to: `import('fwkit').MiddlewareModule`. */
  readonly accepts: string;
  /** What is said of any other default export. It completes "the file …". */
  readonly wrong: string;
  /** What is said where there is no default export. Default: `wrong`. */
  readonly missing?: string;
}

/** Declarations for `.fwk/types.d.ts`. */
export interface TypeContribution {
  /** Whole lines that import what the declarations name: `import type { Provided } from 'fwkit';`. */
  readonly imports?: readonly string[];
  /** The lines inside `declare module 'fwkit' { … }`, indented by two spaces; the last may lack its newline. */
  readonly declarations: string;
  /**
   * All that `imports` and `declarations` are made of, as text: while nothing has changed since they were last written, they are
   * not asked for. For those that take long, as getters.
   */
  readonly madeOf?: string;
  /** What `fwk types --check` requires of files of the convention; it alone asks. JavaScript is left to the boot check. */
  readonly exports?: () => readonly ExportCheck[];
}

/** A plugin's help for newcomers: starter files, and guidance for assistants. */
export interface Guide {
  /** Emit its starter files, for `fwk scaffold`. */
  starter?(generation: Generation): void;
  /** The guidance on the convention for assistants: Markdown, from a heading of level 2; '' for nothing. For `fwk skills`. */
  guidance?(generation: Generation): string;
  /** What assistants always have in view of the convention: all of them share 8 KB of `AGENTS.md`. For `fwk skills`. */
  brief?(generation: Generation): Brief;
  /** What says the rest, named where there is no room for all: `node_modules/fwk-jobs/README.md`. Default: the skill file. */
  readonly page?: string;
}

/** The least that one has to know of a convention to use it right. Markdown within a line. */
export interface Brief {
  /** Where files are, and what they are: `['queues/mail.ts', 'a job']`. */
  readonly files?: readonly (readonly [file: string, is: string])[];
  /** Code for one task each, right as it stands. Its first line is a comment with the file and what it does. */
  readonly examples?: readonly string[];
  /** What is often done wrong, and what is right. */
  readonly mistakes?: readonly string[];
}

/** A plugin, as far as what is generated is composed of what plugins say of themselves. */
export interface Contributor {
  /** Unique kebab-case name: the tap name, the word that `disable` takes, and in camelCase the config key of `options`. */
  readonly name: string;
  /** Its starter files and guidance, loaded for `fwk scaffold` and `fwk skills`. */
  readonly guide?: () => Promise<Guide>;
  /** Its part of the generated types, from paths alone; undefined for none. */
  readonly types?: (
    project: Project,
    plugins: ReadonlyMap<string, Contributor>,
  ) => TypeContribution | undefined;
  /**
   * The types of what it provides as `ctx.<key>`, from paths alone: `{ queues: "import('fwk-queues').Queues" }`; undefined
   * where it provides nothing.
   */
  readonly provides?: (project: Project) => Readonly<Record<string, string | undefined>> | undefined;
}

/** One run of the `generate` hook. */
export interface Generation {
  /** The target being generated: `types`, `scaffold`, `skills`, or what a plugin brings. */
  readonly target: string;
  /** Flags of the command that asked, untouched. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly project: Project;
  /**
   * The plugins that are switched on, by name, in their order. What is written for one convention may lean on another
   * only where that is there; and what a target is composed of, its plugin asks each of them for.
   */
  readonly plugins: ReadonlyMap<string, Contributor>;
  /** Describe one file of the target. The command that asked writes it. */
  emit(output: Output): void;
  /** Tell the user something about the target that needs a hand, with the code of a mistake where it is one. */
  warn(message: string, code?: ProblemCode): void;
}

/** The result of a run of `generate`. */
export interface Generated {
  readonly outputs: readonly Output[];
  readonly warnings: readonly string[];
}

/**
 * Emit a module that will be the user's: `name` is its path below the source directory, without extension. It gets the
 * project's language, but one that is there in another language stays in that: two of them would be a double.
 */
export function emitModule(
  { project, emit }: Generation,
  name: string,
  text: (typescript: boolean) => string,
): void {
  const known = ['ts', 'mts', 'js', 'mjs'].find((end) => existsSync(join(project.source, `${name}.${end}`)));
  const extension = known ?? project.language;
  emit({
    path: project.display(`${name}.${extension}`),
    contents: text(extension.endsWith('ts')),
    ifExists: 'keep',
  });
}

/**
 * The type of a project's module, for `.fwk/types.d.ts`: `(typeof import("../src/services/mail.js"))`. It names the file as it
 * is called when compiled; what follows is up to the caller: `['default']`.
 */
export function moduleType(project: Project, { file }: Pick<Entry, 'file'>): string {
  const compiled = file.endsWith('ts') ? `${file.slice(0, -2)}js` : file;
  return `(typeof import(${JSON.stringify(`../${project.display(compiled)}`)}))`;
}

/** Emit a directory below the source directory that has nothing in it yet. Git would not keep an empty one. */
export function emitDirectory({ project, emit }: Generation, name: string): void {
  if (existsSync(join(project.source, name))) return;
  emit({ path: project.display(`${name}/.gitkeep`), contents: '', ifExists: 'keep' });
}
