import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Finding, slashed } from '../../../kernel/internal.js';
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
    ...leftOut(subject)
      .filter(({ name }) => devDependencies[name] !== undefined && dependencies[name] === undefined)
      .map(({ name, by }) => developmentOnly(name, by)),
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

/** The packages without which no app of the project starts, and the file that imports each where it is not known to all. */
function leftOut({ paths: { root, source } }: Subject): { readonly name: string; readonly by?: string }[] {
  const needed: { readonly name: string; readonly by?: string }[] = [{ name: 'fwkit' }];
  for (const file of ['ts', 'mts', 'js', 'mjs'].map((extension) => join(source, `fwk.config.${extension}`)))
    for (const name of packagesOf(textOf(file) ?? ''))
      needed.push({ name, by: slashed(relative(root, file)) });
  return needed;
}

/** The packages that a module imports when it runs, by the lines that begin with `import`. */
function packagesOf(text: string): ReadonlySet<string> {
  const imports = text.matchAll(
    /^import\s(?!type\s)[^'";]{0,1000}['"]((?:@[^/'"]+\/)?[^./'"@][^/'":]*)(?:\/[^'"]*)?['"]/gm,
  );
  return new Set([...imports].map(([, name = '']) => name).filter((name) => name !== 'fwkit'));
}

const developmentOnly = (name: string, by: string | undefined): Finding => ({
  rule: 'production-dependency',
  code: 'FWK619',
  file: FILE,
  message: `has ${name} in "devDependencies"${by === undefined ? '' : `, and ${by} imports it`}: an install for production leaves it out, and the app does not start.`,
  fix: 'Move it to "dependencies".',
});
