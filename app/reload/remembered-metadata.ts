import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BootError, isObject, type Metadata, type Project, type ProjectPaths } from '../../kernel/index.js';

/** The metadata of routes as the last `fwk dev` of a project knew it. The next one answers with it before all routes are imported. */
const FILE = '.fwk/dev.json';

/** A larger file is neither written nor read. Even thousands of routes need far less. */
const MAX_BYTES = 32_000_000;

export interface MetadataHost {
  writeFile(root: string, path: string, contents: string): void;
  /** Metadata that was written under another key is ignored. The key names the version of fwk and the mode. */
  cacheKey(): string;
}

/** A stamp that changes with the file of a module, and the metadata of the module. */
type StoredMetadata = readonly [stamp: string, metadata: unknown];

/** The metadata that `storeMetadata` wrote, of unchanged modules. It has to be verified, because a module that they import may have changed. */
export function readStoredMetadata({ root, source }: ProjectPaths, host: MetadataHost): Metadata {
  const known = new Map<string, unknown>();
  for (const [file, [stamp, metadata]] of read(join(root, FILE), source, host))
    if (stamp === stampOf(join(source, file))) known.set(file, metadata);
  return known;
}

/** Write the metadata of the routes of a project. If that is not possible, the next start imports all routes first. */
export function storeMetadata({ root, source, run }: Project, host: MetadataHost): void {
  const files: Record<string, StoredMetadata> = {};
  for (const [file, metadata] of run.recorded) {
    const stamp = stampOf(join(source, file));
    // Metadata that is not an object only means that the module was checked, which depends on its imports, too.
    if (stamp !== undefined && isObject(metadata)) files[file] = [stamp, metadata];
  }
  const text = JSON.stringify(files);
  if (text.length > MAX_BYTES) return;
  try {
    host.writeFile(root, FILE, `${sealOf(text, source, host)}\n${text}\n`);
  } catch (thrown) {
    if (!(thrown instanceof BootError)) throw thrown;
  }
}

function read(path: string, source: string, host: MetadataHost): [string, StoredMetadata][] {
  try {
    if (statSync(path).size > MAX_BYTES) return [];
    const [seal, text = ''] = readFileSync(path, 'utf8').split('\n');
    return seal === sealOf(text, source, host) ? Object.entries(JSON.parse(text)) : [];
  } catch {
    return [];
  }
}

/** A hash of the text and everything it is valid for: the key, the version of Node and the source directory. */
const sealOf = (text: string, source: string, host: MetadataHost): string =>
  createHash('sha256').update([host.cacheKey(), process.version, source, text].join('\n')).digest('base64');

function stampOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
}
