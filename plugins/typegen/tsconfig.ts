import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Examination, Finding } from '../../contributions/index.js';
import { findPackage, type ReadConfig, readPackage, tsconfigChain } from '../../loader/index.js';

export const optionsOf = (chain: readonly ReadConfig[]): Readonly<Record<string, unknown>> =>
  Object.assign({}, ...chain.map(({ config }) => config?.compilerOptions));

/** From this version of TypeScript on, `strict` is on by default. */
const STRICT_BY_DEFAULT = 6;

/**
 * The setting to add to `tsconfig.json` in `root` so that `strictNullChecks` is on; undefined if it
 * is on, or if that is unknown. Reads the settings like the compiler does, without loading it,
 * which would take longer than everything else here.
 */
export function missingStrictness(root: string): string | undefined {
  try {
    const chain = tsconfigChain(join(root, 'tsconfig.json'));
    // The compiler reports the missing file.
    if (chain.some(({ config }) => config === undefined)) return undefined;
    const { references, compilerOptions } = chain.at(-1)?.config ?? {};
    if (references !== undefined && compilerOptions === undefined) return undefined;
    const { strict, strictNullChecks } = optionsOf(chain);
    if (strictNullChecks !== undefined) return strictNullChecks ? undefined : '"strictNullChecks": true';
    return (strict ?? isStrictByDefault(root)) ? undefined : '"strict": true';
  } catch {
    // The compiler reports the mistake.
    return undefined;
  }
}

/** Whether `strict` is the default of the project's compiler, as it is of this package's own. */
function isStrictByDefault(root: string): boolean {
  const manifest = findPackage(join(root, 'package.json'), 'typescript');
  const version = manifest && readPackage(dirname(manifest))?.version;
  return version === undefined || Number.parseInt(String(version), 10) >= STRICT_BY_DEFAULT;
}

/** Compiler settings with which the generated types are too permissive. */
export function examine({ project: { root } }: Examination): Finding[] {
  const missing = existsSync(join(root, 'tsconfig.json')) ? missingStrictness(root) : undefined;
  if (missing === undefined) return [];
  return [
    {
      rule: 'strict-types',
      code: 'FWK617',
      file: 'tsconfig.json',
      message: 'leaves "strictNullChecks" off: the types of ctx and req hide missing values.',
      fix: `Set ${missing} in its "compilerOptions".`,
    },
  ];
}
