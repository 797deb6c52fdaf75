import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Examination, Finding } from '../../contributions/index.js';
import { missingStrictness } from './tsconfig.js';

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
