import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

/** Variables that came from files. The environment is the process's, so what was put into it is remembered per process. */
const fromFiles = new Set<string>();

/** The `.env` files of `mode`, the strongest first. */
const envFiles = (mode: string): string[] => [`.env.${mode}.local`, `.env.${mode}`, '.env.local', '.env'];

/**
 * Put the `.env` files of `root` into `process.env`. The real environment always wins. Calling it again forgets what
 * earlier calls had set, so that an edited file counts.
 */
export function loadEnv(root: string, mode: string): void {
  for (const name of fromFiles) delete process.env[name];
  fromFiles.clear();
  for (const file of envFiles(mode)) {
    for (const [name, value] of Object.entries(parseEnv(readIfThere(join(root, file))))) {
      if (Object.hasOwn(process.env, name)) continue;
      process.env[name] = value;
      fromFiles.add(name);
    }
  }
}

function readIfThere(file: string): string {
  // Most are not there, and an error takes 50 µs to make.
  if (!existsSync(file)) return '';
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return '';
    throw cause;
  }
}
