import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Finding, Output } from '../../../kernel/internal.js';
import { includedIn } from '../include.js';
import type { Rule, Subject } from '../subject.js';

const TYPES = '.fwk/types.d.ts';
const TSCONFIG = 'tsconfig.json';

/** Generated types that the compiler does not see, or that are of another state of the project. */
export const generatedTypes: Rule = async (subject) => {
  const { root } = subject.paths;
  return [
    ...(existsSync(join(root, TSCONFIG)) && subject.kernel?.plugins.has('typegen') ? unseen(subject) : []),
    ...(existsSync(join(root, TYPES)) ? await stale(subject) : []),
  ];
};

function unseen({ paths: { root }, compiled }: Subject): Finding[] {
  const text = readFileSync(join(root, TSCONFIG), 'utf8');
  const isSeen =
    compiled && existsSync(join(root, TYPES))
      ? compiled.some((file) => resolve(file) === join(root, TYPES))
      : compiled === undefined || text.includes('.fwk');
  if (isSeen) return [];
  const contents = includedIn(text, '.fwk/**/*');
  return [
    {
      rule: 'types-not-included',
      code: 'FWK615',
      file: TSCONFIG,
      message: 'does not include the generated types: ctx and req.params have none.',
      fix: 'Add ".fwk/**/*" to its "include".',
      ...(contents !== undefined && { outputs: [{ path: TSCONFIG, contents, ifExists: 'replace' }] }),
    },
  ];
}

async function stale({ paths: { root }, kernel }: Subject): Promise<Finding[]> {
  const generated = await kernel?.generate('types');
  const differs = ({ path, contents }: Output): boolean =>
    path === TYPES && readFileSync(join(root, path), 'utf8') !== contents;
  const outputs = generated?.outputs.filter(differs) ?? [];
  return outputs.map((output) => ({
    rule: 'stale-types',
    code: 'FWK616',
    file: output.path,
    message: 'is not what the files of the project make of it: it was written before some came or went.',
    fix: 'Run fwk types.',
    outputs: [output],
  }));
}
