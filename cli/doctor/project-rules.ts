import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Finding } from '../../contributions/index.js';
import { BootError, type Output } from '../../kernel/index.js';
import { parseJsonc } from '../../loader/index.js';
import { EDITORS, wordsOf } from '../../plugins/skills/editors.js';
import { hasBlock, replaceBlock } from '../files/merge.js';
import { type Rule, type Subject, textOf } from './subject.js';

/** Files that are meant to hold secrets. Files of a mode without `.local`, and examples, belong in the repository. */
const SECRET_FILES = [
  '.env',
  '.env.local',
  '.env.development.local',
  '.env.test.local',
  '.env.production.local',
];

export const environment: Rule = ({ paths: { root } }) => {
  const there = SECRET_FILES.filter((file) => existsSync(join(root, file)));
  if (there.length === 0 || git(root, 'rev-parse', '--is-inside-work-tree') === undefined) return [];
  return there.flatMap((file) => [
    ...(git(root, 'ls-files', '--error-unmatch', file) === undefined ? [] : [committed(file)]),
    ...(git(root, 'check-ignore', '--no-index', file) === undefined ? [shown(file)] : []),
  ]);
};

const committed = (file: string): Finding => ({
  rule: 'env-committed',
  code: 'FWK213',
  file,
  message: 'is in the git repository: who can read that has its secrets.',
  fix: `Run git rm --cached ${file}, and replace the secrets: the history keeps them.`,
});

const shown = (file: string): Finding => ({
  rule: 'env-not-ignored',
  code: 'FWK213',
  file,
  message: 'is not ignored by git, so "git add ." would commit its secrets.',
  fix: `Add ${file} to .gitignore.`,
  outputs: [{ path: '.gitignore', contents: `${file}\n`, ifExists: 'lines' }],
});

/** The output of git; undefined if git fails or is not installed. */
function git(root: string, ...args: string[]): string | undefined {
  try {
    return execFileSync('git', ['-C', root, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return undefined;
  }
}

/** Guidance for assistants that is out of date with the project or the version of fwk. */
export const staleGuidance: Rule = async ({ paths: { root }, kernel }) => {
  const texts = new Map(EDITORS.map(({ path }) => [path, textOf(join(root, path))]));
  const there = EDITORS.filter(({ path }) => texts.get(path) !== undefined);
  if (there.length === 0 || !kernel?.plugins.has('skills')) return [];
  const { outputs } = await kernel.generate('skills', { ide: there.map(({ name }) => name).join() });
  return outputs.flatMap((output) => {
    const text = texts.get(output.path);
    return text === undefined ? [] : findingsOf(output, text);
  });
};

function findingsOf(output: Output, text: string): Finding[] {
  const { path } = output;
  try {
    if (wordsOf(refreshed(output, text)) === wordsOf(text)) return [];
  } catch (thrown) {
    if (thrown instanceof BootError)
      return thrown.problems.map(({ message, line }) => lostMarker(message, path, line));
    throw thrown;
  }
  return [
    {
      rule: 'stale-guidance',
      code: 'FWK623',
      file: path,
      message: 'is outdated: the project or fwk has changed since fwk skills wrote it.',
      fix: `Run ${commandFor(path)}.`,
      outputs: [output],
    },
  ];
}

const lostMarker = (message: string, file: string, line: number | undefined): Finding => ({
  rule: 'stale-guidance',
  code: 'FWK623',
  file,
  ...(line !== undefined && { line }),
  message,
  fix: `Then run ${commandFor(file)}.`,
});

/** A file as `fwk skills` would write it. A file of the user's own, or one without a block, is left unchanged. */
function refreshed({ contents, ifExists, path }: Output, text: string): string {
  if (ifExists === 'replace') return contents;
  return ifExists === 'block' && hasBlock(text, path) ? replaceBlock(text, contents, path) : text;
}

const commandFor = (path: string): string =>
  `fwk skills --ide ${EDITORS.find((editor) => editor.path === path)?.name}`;

const TYPES = '.fwk/types.d.ts';
const TSCONFIG = 'tsconfig.json';

/** Generated types that the compiler does not include, or that are out of date. */
export const generatedTypes: Rule = async (subject) => {
  const { root } = subject.paths;
  return [
    ...(existsSync(join(root, TSCONFIG)) && subject.kernel?.plugins.has('typegen')
      ? typesNotIncluded(subject)
      : []),
    ...(existsSync(join(root, TYPES)) ? await stale(subject) : []),
  ];
};

function typesNotIncluded({ paths: { root }, compiled }: Subject): Finding[] {
  const text = readFileSync(join(root, TSCONFIG), 'utf8');
  const isIncluded =
    compiled && existsSync(join(root, TYPES))
      ? compiled.some((file) => resolve(file) === join(root, TYPES))
      : compiled === undefined || text.includes('.fwk');
  if (isIncluded) return [];
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
    message: 'is outdated: files were added or removed since it was written.',
    fix: 'Run fwk types.',
    outputs: [output],
  }));
}

/** The text of a tsconfig.json with only `pattern` added to its `include`; undefined if that cannot be done safely. */
function includedIn(text: string, pattern: string): string | undefined {
  const read = (json: string) => parseJsonc<{ readonly include?: unknown }>(json, TSCONFIG);
  try {
    const before = read(text);
    if (!Array.isArray(before.include) || before.include.length === 0) return undefined;
    const after = text.replace(
      /("include"\s*:\s*\[)([^[\]]*?)(,?\s*)\]/,
      (_, begin: string, items: string, end: string) =>
        `${begin}${items}, ${JSON.stringify(pattern)}${end.replace(',', '')}]`,
    );
    const expected = { ...before, include: [...before.include, pattern] };
    return JSON.stringify(read(after)) === JSON.stringify(expected) ? after : undefined;
  } catch {
    return undefined;
  }
}
