import { createRequire } from 'node:module';
import path from 'node:path';

/** The file that the tsconfig `file` extends by `name`: `./base`, `./base.json`, or one of a package, if it is there. */
export function extendedBy(file: string, name: string): string | undefined {
  if (/^\.{0,2}\//.test(name))
    return path.resolve(file, '..', name.endsWith('.json') ? name : `${name}.json`);
  for (const candidate of [name, `${name}.json`, `${name}/tsconfig.json`]) {
    try {
      const found = createRequire(file).resolve(candidate);
      // By its name alone, a package may be code.
      if (found.endsWith('.json')) return found;
    } catch {}
  }
  return undefined;
}
