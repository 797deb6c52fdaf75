import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../../../kernel/internal.js';
import { filesBelow, textOf } from '../files.js';
import { manifestIn } from '../manifest.js';
import type { Rule, Subject } from '../subject.js';

const FILE = 'package.json';

/** A package.json by which the sources are not what they say. */
export const manifest: Rule = (subject) => {
  const { root } = subject.paths;
  if (!existsSync(join(root, FILE)))
    return [
      {
        rule: 'package-type',
        code: 'FWK618',
        file: FILE,
        message: 'is missing: nothing says that the sources are ES modules, nor what production needs.',
        fix: 'Run fwk scaffold, which writes it.',
      },
    ];
  const found = manifestIn(root);
  if (!found) return [];
  const { type, dependencies, devDependencies } = found;
  return [
    ...(type === 'module' ? [] : [wrongType(subject, type)]),
    ...(devDependencies.fwkit !== undefined && dependencies.fwkit === undefined ? [DEVELOPMENT_ONLY] : []),
  ];
};

function wrongType(subject: Subject, type: unknown): Finding {
  const isSafe = type === undefined && !usesCommonJs(subject);
  return {
    rule: 'package-type',
    code: 'FWK618',
    file: FILE,
    message: `${type === undefined ? 'has no "type"' : `has "type": ${JSON.stringify(type)}`}: what is compiled, and files named .js, would be taken for CommonJS.`,
    fix: `Set "type": "module"${isSafe ? '' : ', and rename files that use require() to .cjs'}.`,
    ...(isSafe && { outputs: [{ path: FILE, contents: '{ "type": "module" }', ifExists: 'members' }] }),
  };
}

/** Whether a file named .js would break. */
function usesCommonJs({ paths: { root }, made }: Subject): boolean {
  for (const file of filesBelow(root, made))
    if (/\.jsx?$/.test(file) && /\brequire\s*\(|\bmodule\.exports\b|\bexports\./.test(textOf(file) ?? ''))
      return true;
  return false;
}

const DEVELOPMENT_ONLY: Finding = {
  rule: 'production-dependency',
  code: 'FWK619',
  file: FILE,
  message:
    'has fwkit in "devDependencies": an install for production leaves it out, and the app does not start.',
  fix: 'Move it to "dependencies".',
};
