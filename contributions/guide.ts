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
  /**
   * The guidance for assistants, for `fwk skills`: Markdown of a few hundred bytes that begins with a heading of level 2; '' for none.
   * The guidance of all plugins together has at most 8 KB. If it is longer, the longest parts of other than built-in plugins are left out.
   */
  guidance?(generation: Generation): string;
}

/**
 * Emit a module that the user will own: `name` is its path below the source directory, without extension. It
 * uses the project's language, but an existing module keeps its own language: otherwise the module would
 * exist twice.
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

/** Emit a directory below the source directory with a placeholder file: Git stores no empty directories. */
export function emitDirectory({ project, emit }: Generation, name: string): void {
  if (existsSync(join(project.source, name))) return;
  emit({ path: project.display(`${name}/.gitkeep`), contents: '', ifExists: 'keep' });
}
