import { readFileSync } from 'node:fs';
import type { Kernel } from '../../kernel/internal.js';
import type { ProjectFolder } from './folder.js';
import type { Subject } from './subject.js';

/** Save the files of the plugin with other code, and give their absolute paths. */
export function edit(subject: Subject, kernel: Kernel, folder: ProjectFolder): readonly string[] {
  const texts = subject.fixtures.changed ?? unchanged(subject.claimed(kernel), folder);
  folder.write(texts);
  return Object.keys(texts).map((name) => folder.path(name));
}

/** Their texts with a line that does nothing but make the code another, so that they are evaluated again. */
const unchanged = (files: readonly string[], folder: ProjectFolder): Readonly<Record<string, string>> =>
  Object.fromEntries(files.map((file) => [file, `${readFileSync(folder.path(file), 'utf8')}\nvoid 0;\n`]));
