import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { packageManager } from '../../../kernel/internal.js';
import { manifestIn } from '../manifest.js';
import type { Rule } from '../subject.js';

/** The oldest version that the public types are tested with. */
const OLDEST = [5, 9] as const;

/** A TypeScript of the project's own that the types of fwkit are not made for. */
export const oldTypeScript: Rule = ({ paths: { root } }) => {
  const version = versionFor(root);
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST;
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  if (version === undefined || !isOld) return [];
  return [
    {
      rule: 'old-typescript',
      code: 'FWK621',
      file: 'package.json',
      message: `brings TypeScript ${version}, and the types of fwkit are made for ${OLDEST.join('.')} and later.`,
      fix: `Run ${packageManager(root).addForDevelopment} typescript@latest, or leave it out: @fwkit/build has one.`,
    },
  ];
};

function versionFor(root: string): string | undefined {
  try {
    const file = createRequire(join(root, 'package.json')).resolve('typescript/package.json');
    const version = manifestIn(dirname(file))?.version;
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}
