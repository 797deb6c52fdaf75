import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { extendedBy } from '../../../kernel/internal.js';

// The text is searched, not parsed: it may have comments, and be wrong at the moment. What is found in a comment is
// watched for nothing, which costs nothing.
const EXTENDS = /"extends"\s*:\s*("[^"]*"|\[[^\]]*\])/g;
const OUT_DIR = /"outDir"\s*:\s*"([^"]*)"/g;

interface Tsconfigs {
  /** Absolute paths of the file and of all that it extends, those that are not there too. */
  readonly files: ReadonlySet<string>;
  /** Absolute paths of the directories that they have code written into. */
  readonly outDirs: readonly string[];
}

export function readTsconfigs(file: string): Tsconfigs {
  const files = new Set<string>();
  const outDirs: string[] = [];
  read(file);
  return { files, outDirs };

  function read(path: string): void {
    if (files.has(path)) return;
    files.add(path);
    const text = textOf(path);
    for (const [, directory = ''] of text.matchAll(OUT_DIR)) outDirs.push(resolve(path, '..', directory));
    for (const [, names = ''] of text.matchAll(EXTENDS))
      for (const [, name = ''] of names.matchAll(/"([^"]*)"/g)) {
        const base = extendedBy(path, name);
        if (base !== undefined) read(base);
      }
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
