import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Output } from './generation.js';

/** What became of one output. */
export interface Written {
  readonly path: string;
  readonly outcome: 'written' | 'unchanged';
}

/** Put outputs on disk below `root`. A file whose contents would not change is not touched. */
export function write(root: string, outputs: readonly Output[]): Written[] {
  return outputs.map((output) => {
    const file = join(root, output.path);
    const before = read(file);
    const after =
      output.ifExists === 'lines' ? appendMissing(before ?? '', output.contents) : output.contents;
    if (after === before) return { path: output.path, outcome: 'unchanged' };
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, after);
    return { path: output.path, outcome: 'written' };
  });
}

function appendMissing(text: string, lines: string): string {
  // In a .gitignore, `.fwk`, `/.fwk` and `.fwk/` all do.
  const bare = (line: string) => line.trim().replace(/^\/|\/$/g, '');
  const present = new Set(text.split(/\r?\n/).map(bare));
  const missing = lines.split('\n').filter((line) => line !== '' && !present.has(bare(line)));
  if (missing.length === 0) return text;
  const separator = text === '' || text.endsWith('\n') ? '' : '\n';
  return `${text}${separator}${missing.join('\n')}\n`;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw cause;
  }
}
