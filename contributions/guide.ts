import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Generation } from '../kernel/index.js';

declare module '../kernel/plugin.js' {
  interface Contributor {
    /** Its starter files and guidance, loaded for `fwk scaffold` and `fwk skills`. */
    readonly guide?: () => Promise<Guide>;
  }
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

/** Emit a directory below the source directory that has nothing in it yet. Git would not keep an empty one. */
export function emitDirectory({ project, emit }: Generation, name: string): void {
  if (existsSync(join(project.source, name))) return;
  emit({ path: project.display(`${name}/.gitkeep`), contents: '', ifExists: 'keep' });
}
