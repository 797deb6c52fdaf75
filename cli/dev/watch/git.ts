import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Tells whether Git is changing the work tree that `root` is in: it holds a lock from the first file to the last. */
export function gitWrites(root: string): () => boolean {
  const directory = gitDirectory(root);
  if (directory === undefined) return () => false;
  const lock = join(directory, 'index.lock');
  return () => existsSync(lock);
}

function gitDirectory(directory: string): string | undefined {
  const path = join(directory, '.git');
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return path;
  if (stats?.isFile()) return linkedDirectory(path);
  return dirname(directory) === directory ? undefined : gitDirectory(dirname(directory));
}

/** In a linked work tree and in a submodule, `.git` is a file that names the directory. */
function linkedDirectory(file: string): string | undefined {
  const path = /^gitdir: (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1];
  return path && resolve(dirname(file), path);
}
