import { existsSync } from 'node:fs';
import path from 'node:path';
import { resolve } from 'resolve.exports';
import { readPackage } from '../package-json.js';

/**
 * What a name of the project's own means, `#name` or one below the name of its package, and where that is to be looked for: by the
 * package.json as it is now, while `import-meta-resolve` goes by what it read first. Undefined where it says nothing of it.
 */
export function ownTarget(
  specifier: string,
  importer: string,
  conditions: Iterable<string>,
): { readonly name: string; readonly base: string } | undefined {
  const base = packageFileOf(path.dirname(importer));
  if (base === undefined) return undefined;
  const read = readPackage(path.dirname(base)) ?? {};
  if (!specifier.startsWith('#') && !`${specifier}/`.startsWith(`${read.name}/`)) return undefined;
  try {
    const [name] = resolve(read, specifier, { conditions: [...conditions], unsafe: true }) ?? [];
    return name === undefined ? undefined : { name, base };
  } catch {
    // It has no such name, or not for these conditions: who asks says so as Node does.
    return undefined;
  }
}

export function packageFileOf(directory: string): string | undefined {
  const file = path.join(directory, 'package.json');
  if (existsSync(file)) return file;
  const above = path.dirname(directory);
  return above === directory || path.basename(above) === 'node_modules' ? undefined : packageFileOf(above);
}
