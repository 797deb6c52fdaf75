import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Examination, Finding } from '../../contributions/index.js';
import { findPackage, type ReadConfig, readPackage, tsconfigChain } from '../../loader/index.js';

export const optionsOf = (chain: readonly ReadConfig[]): Readonly<Record<string, unknown>> =>
  Object.assign({}, ...chain.map(({ config }) => config?.compilerOptions));

/** From this version of TypeScript on, `strict` is on where it is not set. */
const STRICT_BY_DEFAULT = 6;

/**
 * What to write into `tsconfig.json` in `root` for `strictNullChecks` to be on; undefined if it is, or if that is not known. Reads
 * settings as the compiler does, without loading it: that would take longer than all else here.
 */
export function missingStrictness(root: string): string | undefined {
  try {
    const chain = tsconfigChain(join(root, 'tsconfig.json'));
    // The compiler will say what is missing.
    if (chain.some(({ config }) => config === undefined)) return undefined;
    const { references, compilerOptions } = chain.at(-1)?.config ?? {};
    if (references !== undefined && compilerOptions === undefined) return undefined;
    const { strict, strictNullChecks } = optionsOf(chain);
    if (strictNullChecks !== undefined) return strictNullChecks ? undefined : '"strictNullChecks": true';
    return (strict ?? isStrictByDefault(root)) ? undefined : '"strict": true';
  } catch {
    // The compiler will say what is wrong with it.
    return undefined;
  }
}

/** Whether the compiler that the project has installed takes `strict` as set. One that comes with this package does. */
function isStrictByDefault(root: string): boolean {
  const manifest = findPackage(join(root, 'package.json'), 'typescript');
  const version = manifest && readPackage(dirname(manifest))?.version;
  return version === undefined || Number.parseInt(String(version), 10) >= STRICT_BY_DEFAULT;
}

/** Settings of the compiler by which the generated types say too much. */
export function examine({ project: { root } }: Examination): Finding[] {
  const missing = existsSync(join(root, 'tsconfig.json')) ? missingStrictness(root) : undefined;
  if (missing === undefined) return [];
  return [
    {
      rule: 'strict-types',
      code: 'FWK617',
      file: 'tsconfig.json',
      message: 'leaves "strictNullChecks" off: ctx and req claim values that may be missing.',
      fix: `Set ${missing} in its "compilerOptions".`,
    },
  ];
}
