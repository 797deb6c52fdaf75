import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  BootError,
  isObject,
  type Metadata,
  type Project,
  type ProjectPaths,
} from '../../kernel/internal.js';
import { write } from '../files/write.js';
import { version } from '../package-version.js';
import { modeOfSources } from '../project.js';

/** What the last `fwk dev` of a project knew of its routes, so that the next answers before it has imported them all. */
const FILE = '.fwk/dev.json';

/** A file that is larger is neither written nor read: a few bytes for each route are far less. */
const MAX_BYTES = 32_000_000;

/** A module as it was, and its metadata. */
type Remembered = readonly [stamp: string, metadata: unknown];

/**
 * The metadata of those modules that are as they were when `remember` wrote it down. It may be wrong all the same, since what
 * they import may be another: it has to be verified. Empty where nothing was written, or what is there is not whole.
 */
export function recall({ root, source }: ProjectPaths): Metadata {
  const known = new Map<string, unknown>();
  for (const [file, [stamp, metadata]] of read(join(root, FILE), source))
    if (stamp === stampOf(join(source, file))) known.set(file, metadata);
  return known;
}

/** Write down what is known of the routes of a project. Where that cannot be written, the next start imports them first. */
export function remember({ root, source, run }: Project): void {
  const files: Record<string, Remembered> = {};
  for (const [file, metadata] of run.recorded) {
    const stamp = stampOf(join(source, file));
    // What is no object says only that something was checked, and that may have been what the module imports.
    if (stamp !== undefined && isObject(metadata)) files[file] = [stamp, metadata];
  }
  const text = JSON.stringify(files);
  if (text.length > MAX_BYTES) return;
  try {
    write(root, [{ path: FILE, contents: `${sealOf(text, source)}\n${text}\n`, ifExists: 'replace' }]);
  } catch (thrown) {
    if (!(thrown instanceof BootError)) throw thrown;
  }
}

function read(path: string, source: string): [string, Remembered][] {
  try {
    if (statSync(path).size > MAX_BYTES) return [];
    const [seal, text = ''] = readFileSync(path, 'utf8').split('\n');
    return seal === sealOf(text, source) ? Object.entries(JSON.parse(text)) : [];
  } catch {
    return [];
  }
}

/** Differs where the text is not as it was written, or was written by another fwk, on another Node, in another mode or place. */
const sealOf = (text: string, source: string): string =>
  createHash('sha256')
    .update([version(), process.version, modeOfSources(), source, text].join('\n'))
    .digest('base64');

function stampOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
}
