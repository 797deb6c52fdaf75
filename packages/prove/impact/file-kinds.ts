import path from 'node:path';
import { isObject } from 'fwkit/plugin';
import { isModule, isTestFile } from '../graph/modules.js';

/** What a changed file is. `data`: it counts as everything, unless a module spells its name. `none`: nothing that runs depends on it. */
export type FileKind = 'module' | 'template' | 'public' | 'lock' | 'tests' | 'none' | 'env' | 'data';

/** Files for people, editors, linters and the host of the repository. */
const BESIDE =
  /(^|\/)(\.(github|gitlab|vscode|idea|husky|zed|fwk)\/|node_modules\/|\.(gitignore|gitattributes|gitkeep|editorconfig|mailmap|prettierrc[^/]*|eslintrc[^/]*)$|(eslint|prettier|stylelint|commitlint)\.config\.[^/]+$|biome\.jsonc?$|renovate\.json5?$|(LICEN[CS]E|NOTICE|AUTHORS|CODEOWNERS)[^/]*$)|\.d\.([^/]*\.)?[cm]?ts$|\.(md|markdown|rst|adoc)$/i;
const OF_TESTS = /(^|\/)(vitest|jest|playwright|cypress|ava|mocha)\.(config|workspace|setup)\.[^/]+$|\.snap$/;
const LOCK =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|deno\.lock)$/;
/** Files that fwk, Node or the compiler read, also from directories above. */
export const SETTINGS = /^(\.\.\/)*(package\.json|tsconfig[^/]*\.json|\.npmrc|\.nvmrc|pnpm-workspace\.yaml)$/;

/** `isSpelled`: whether a module spells the name of the file, or of a directory of it. */
export function kindOf(file: string, isSpelled: boolean): FileKind {
  if (file.startsWith('../') && !LOCK.test(file)) return SETTINGS.test(file) ? 'data' : 'none';
  if (LOCK.test(file)) return 'lock';
  if (file.startsWith('views/')) return 'template';
  if (file.startsWith('public/')) return 'public';
  if (/^\.env(\.|$)/.test(path.posix.basename(file))) return 'env';
  if (OF_TESTS.test(file) || (isTestFile(file) && !isModule(file))) return 'tests';
  return BESIDE.test(file) && !isSpelled ? 'none' : isModule(file) ? 'module' : 'data';
}

/** The packages whose installed version differs, and their dependents; undefined if that can't be read. Only npm's lock file is read. */
export function changedPackages(before = '', after = ''): readonly string[] | undefined {
  if (![before, after].every((text) => /^\s*\{.*"packages"/s.test(text))) return undefined;
  const [then, now] = [before, after].map((text) => Object.entries(JSON.parse(text).packages));
  const nameOf = (place: string): string => /.*node_modules\/(.*)/.exec(place)?.[1] ?? '';
  const lines = [then, now].map(
    (list) => new Set(list?.map(([place, entry]) => `${place}\n${JSON.stringify(entry)}`)),
  );
  const differing = lines.flatMap((own, at) => [...own].filter((line) => !lines[1 - at]?.has(line)));
  const changed = new Set(differing.map((line) => nameOf(line.split('\n')[0] ?? '')));
  for (const name of changed)
    for (const [place, entry] of [...(then ?? []), ...(now ?? [])])
      if (
        isObject(entry) &&
        [entry.dependencies, entry.optionalDependencies, entry.peerDependencies].some(
          (list) => isObject(list) && name in list,
        )
      )
        changed.add(nameOf(place));
  changed.delete('');
  return [...changed];
}

export function changedVariables(before = '', after = ''): readonly string[] {
  const [then, now] = [before, after].map((text) => text.split(/\r?\n/));
  const differing = [...(then ?? []), ...(now ?? [])].filter(
    (line) => !then?.includes(line) || !now?.includes(line),
  );
  return differing.flatMap((line) => /^\s*(?:export\s+)?([\w.]+)\s*=/.exec(line)?.[1] ?? []);
}
