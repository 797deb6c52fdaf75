import path from 'node:path';
import { isLockFile } from './packages.js';

/**
 * What a file is to the project:
 *
 * - `module`: code; what it reaches is known from what imports it
 * - `template`: below `views/`
 * - `public`: below `public/`, and answered at a URL of its own
 * - `lock`: which versions of packages are installed
 * - `tests`: belongs to the tests, and is no module
 * - `none`: what runs cannot tell whether it is there
 * - `whole`: may matter to everything
 */
export type FileKind = 'module' | 'template' | 'public' | 'lock' | 'tests' | 'none' | 'whole';

const MODULE = /\.[cm]?[jt]sx?$/;
const DECLARATION = /\.d\.([^/]*\.)?[cm]?ts$/;
/** For people, editors, linters and those who host the repository. */
const BESIDE =
  /(^|\/)(\.(github|gitlab|vscode|idea|husky|zed)\/|\.(gitignore|gitattributes|gitkeep|editorconfig|mailmap|prettierrc[^/]*|prettierignore|eslintrc[^/]*|eslintignore|git-blame-ignore-revs)$|(eslint|prettier|stylelint|commitlint|lint-staged)\.config\.[^/]+$|biome\.jsonc?$|renovate\.json5?$|(LICEN[CS]E|NOTICE|AUTHORS|CODEOWNERS)[^/]*$)/;
/** What people read. A program may read it, too. */
const DOCUMENT = /\.(md|markdown|rst|adoc)$/i;
const GENERATED = /(^|\/)(\.fwk|node_modules)\//;
const TEST_DIRECTORY = /(^|\/)(tests?|__tests__|__mocks__|__snapshots__|e2e)\//;
const TEST_NAME = /(^|[./_-])(test|spec)\.[cm]?[jt]sx?$|(^|\/)test[-_][^/]*\.[cm]?[jt]sx?$/;
const TEST_SETTINGS =
  /(^|\/)(vitest|jest|playwright|cypress|ava|mocha)\.(config|workspace|setup)\.[^/]+$|(^|\/)\.(mocharc|taprc|c8rc|nycrc)[^/]*$|\.snap$/;
/** What each project above may set for those below it. */
const OF_PARENTS =
  /^(package\.json|tsconfig[^/]*\.json|\.env[^/]*|\.npmrc|\.nvmrc|\.node-version|pnpm-workspace\.yaml|\.yarnrc[^/]*)$/;

export const isModule = (file: string): boolean => MODULE.test(file) && !DECLARATION.test(file);
export const isTestFile = (file: string): boolean => TEST_DIRECTORY.test(file) || TEST_NAME.test(file);
export const hasTestName = (file: string): boolean => TEST_NAME.test(file);

/** What `file` is, relative to the root of the project. `isMentioned`: whether some module has a name in a text. */
export function kindOf(file: string, isMentioned: (name: string) => boolean): FileKind {
  if (GENERATED.test(file) || DECLARATION.test(file)) return 'none';
  const name = path.posix.basename(file);
  if (file.startsWith('../')) {
    // Beside the project: what lies in a directory above it may be meant for it, too.
    const isAbove = /^(\.\.\/)+[^/]+$/.test(file);
    if (isAbove && isLockFile(name)) return 'lock';
    if (isAbove && OF_PARENTS.test(name)) return 'whole';
    return isModule(file) ? 'module' : 'none';
  }
  if (file.startsWith('views/')) return 'template';
  if (file.startsWith('public/')) return 'public';
  if (isLockFile(name)) return 'lock';
  if (TEST_SETTINGS.test(file)) return 'tests';
  if (BESIDE.test(file)) return isModule(file) || !isNamed(file, isMentioned) ? 'none' : 'whole';
  if (isModule(file)) return 'module';
  if (isTestFile(file)) return 'tests';
  if (DOCUMENT.test(file) && !isNamed(file, isMentioned)) return 'none';
  return 'whole';
}

/** Whether a module has the name of a file in a text, or that of a directory that it is in. */
const isNamed = (file: string, isMentioned: (name: string) => boolean): boolean =>
  file.split('/').some(isMentioned);

/** The kinds of files by their directories, for those of which nothing else is left. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['api/', 'api'],
  ['web/', 'web'],
  ['ws/', 'ws'],
  ['middlewares/', 'middleware'],
  ['services/', 'service'],
  ['di/', 'di'],
  ['mcp/', 'mcp'],
  ['cron/', 'cron'],
  ['queues/', 'queue'],
]);

const POLICY = /^policy\.m?[jt]s$/;

/** What a file was to the conventions of the framework, and of the packages beside it; undefined where nothing says it. */
export const formerKind = (file: string): string | undefined =>
  POLICY.test(file) ? 'policy' : KINDS.get(file.slice(0, file.indexOf('/') + 1));
