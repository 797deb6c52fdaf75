import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chainOf, optionsOf, readConfig } from './tsconfig.js';

/** From this version of TypeScript on, `strict` is on where it is not set. */
const STRICT_BY_DEFAULT = 6;

/**
 * What to write into `tsconfig.json` in `root` for `strictNullChecks` to be on; undefined where it is, or where that
 * cannot be said. Reads settings as the compiler does, without loading it: that would take longer than all else here.
 */
export function missingStrictness(root: string): string | undefined {
  try {
    const file = join(root, 'tsconfig.json');
    const { references, compilerOptions } = readConfig(file);
    if (references !== undefined && compilerOptions === undefined) return undefined;
    const { strict, strictNullChecks } = optionsOf(chainOf(file));
    if (strictNullChecks !== undefined) return strictNullChecks ? undefined : '"strictNullChecks": true';
    return (strict ?? isStrictByDefault(root)) ? undefined : '"strict": true';
  } catch {
    // There is none, or the compiler will say what is wrong with it.
    return undefined;
  }
}

/** Whether the compiler that the project has installed takes `strict` as set. One that comes with this package does. */
function isStrictByDefault(root: string): boolean {
  try {
    const manifest = createRequire(join(root, 'package.json')).resolve('typescript/package.json');
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
    return Number.parseInt(version, 10) >= STRICT_BY_DEFAULT;
  } catch {
    return true;
  }
}
