import { existsSync } from 'node:fs';
import path from 'node:path';
import { resolve } from 'resolve.exports';
import { readPackage } from '../package-json.js';

/** Resolves a name of the project itself by its current package.json: `import-meta-resolve` uses the first version that it read. */
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
    // It does not define the name, or not for these conditions: the caller throws the same error as Node.
    return undefined;
  }
}

export function packageFileOf(directory: string): string | undefined {
  const file = path.join(directory, 'package.json');
  if (existsSync(file)) return file;
  const above = path.dirname(directory);
  return above === directory || path.basename(above) === 'node_modules' ? undefined : packageFileOf(above);
}
