import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { BootError, type Project } from 'fwkit/plugin';
import type { Graph } from '../graph/graph.js';
import { filesBelow, isModule, isTestFile, textOf } from '../graph/modules.js';

/** A changed file, relative to the root of the project. `before` is undefined for a new file, `after` for a deleted one. */
export interface Change {
  readonly file: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** The file was named without a ref to compare it with, so all of it counts as changed. */
  readonly isWhole: boolean;
}

export type Changes = { readonly base: string | undefined; readonly changes: readonly Change[] };

export const notKnown = (message: string): BootError => new BootError({ message, code: 'FWK866' });

/** `files`: relative to the current directory or to the root; `since`: a ref of git. Rejects with a BootError. */
export async function findChanges(
  root: string,
  { files, since }: { readonly files: readonly string[]; readonly since: string | undefined },
): Promise<Changes> {
  const named = files.flatMap((file) => filesNamed(root, file));
  if (since === undefined)
    return { base: undefined, changes: await Promise.all(named.map((file) => wholeFile(root, file))) };
  const prefix = (await git(root, 'rev-parse', '--show-prefix')).trim();
  const base = await baseOf(root, since);
  const tracked = await git(root, 'diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', base, '--');
  const others = ['ls-files', '--others', '--exclude-standard', '--full-name', '-z', '--', ':/'];
  const changes: Change[] = [];
  for (const name of new Set(`${tracked}${await git(root, ...others)}`.split('\0').filter(Boolean).sort())) {
    const file = path.posix.relative(`/${prefix}`, `/${name}`);
    const before = await git(root, 'show', `${base}:${name}`).catch(() => undefined);
    const after = textOf(root, file);
    if (before !== after && (files.length === 0 || named.includes(file)))
      changes.push({ file, before, after, isWhole: false });
  }
  return { base, changes };
}

/** The commit where the change began. Later commits on `since` aren't a part of the change. */
async function baseOf(root: string, since: string): Promise<string> {
  const base = await git(root, 'merge-base', '--end-of-options', since, 'HEAD').catch((error: BootError) => {
    if (error.message !== '') throw error;
    // The branches have no common commit.
    return git(root, 'rev-parse', '--verify', '--end-of-options', `${since}^{commit}`);
  });
  return base.trim();
}

async function wholeFile(root: string, file: string): Promise<Change> {
  const after = textOf(root, file);
  const before = after ?? (await git(root, 'show', `HEAD:./${file}`).catch(() => undefined));
  if (before !== undefined) return { file, before, after, isWhole: true };
  const fix = 'Name a file or a directory by its path from here, or say --since <ref>.';
  throw notKnown(`${file} is not there, nor in the last commit. ${fix}`);
}

/** The files that an operand names, relative to the root. A directory names all files below it. */
function filesNamed(root: string, operand: string): readonly string[] {
  const paths = [path.resolve(operand), path.resolve(root, operand)];
  const found = paths.find((one) => existsSync(one)) ?? path.resolve(operand);
  const name = path.relative(root, found).split(path.sep).join('/');
  const isDirectory = statSync(found, { throwIfNoEntry: false })?.isDirectory();
  return isDirectory ? filesBelow(found).map((file) => path.posix.join(name, file)) : [name];
}

/** Rejects with the error output of git. The command takes no lock that another git command waits for. */
async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
  try {
    return (await promisify(execFile)('git', args, { cwd, env, maxBuffer: Number.POSITIVE_INFINITY })).stdout;
  } catch (thrown) {
    const { code, stderr = '' } = thrown as { readonly code?: unknown; readonly stderr?: string };
    const missing =
      'git cannot be run: it is not installed, or not in PATH. Install it, or name the files that changed.';
    throw notKnown(code === 'ENOENT' ? missing : stderr.trim());
  }
}

export const sourceOf = ({ root, source }: Pick<Project, 'root' | 'source'>, file: string): string =>
  path.relative(source, path.join(root, file)).split(path.sep).join('/');

/** `data`: the file counts as everything unless a module spells its name. `none`: the file doesn't affect the app. */
type FileKind = 'module' | 'template' | 'public' | 'settings' | 'tests' | 'none' | 'env' | 'data';

/** Files for people, editors, linters and the host of the repository. */
const BESIDE =
  /(^|\/)(\.(github|gitlab|vscode|idea|husky|zed|fwk)\/|node_modules\/|\.(gitignore|gitattributes|gitkeep|editorconfig|mailmap|prettierrc[^/]*|eslintrc[^/]*)$|(eslint|prettier|stylelint|commitlint)\.config\.[^/]+$|biome\.jsonc?$|renovate\.json5?$|(LICEN[CS]E|NOTICE|AUTHORS|CODEOWNERS)[^/]*$)|\.d\.([^/]*\.)?[cm]?ts$|\.(md|markdown|rst|adoc)$/i;
const OF_TESTS = /(^|\/)(vitest|jest|playwright|cypress|ava|mocha)\.(config|workspace|setup)\.[^/]+$|\.snap$/;
/** Files that fwk, Node, the compiler or the package manager read, also from directories above. */
const SETTINGS =
  /^(\.\.\/)*(package\.json|tsconfig[^/]*\.json|\.npmrc|\.nvmrc|pnpm-workspace\.yaml|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|deno\.lock)$/;

/** The changed files, and their nodes in the graph. Units of modules are nodes of their own. */
export class ChangedFiles {
  readonly everything: string[] = [];
  readonly kinds: ReadonlyMap<string, FileKind>;
  readonly seeds: readonly string[];

  constructor(
    private readonly project: Project,
    private readonly graph: Graph,
    private readonly changes: readonly Change[],
  ) {
    this.kinds = new Map(
      changes.map(({ file }) => [file, graph.modules.has(file) ? 'module' : this.#kindOf(file)]),
    );
    this.seeds = changes.flatMap((change) => this.#seedsOf(change));
  }

  count = (why: string): unknown => this.everything.push(`Everything is reached: ${why}.`);

  /** Modules that may start the app, because no import, convention or test uses them. */
  startFiles(): readonly string[] {
    const known = new Set(this.changes.flatMap(({ file, after }) => (after === undefined ? [file] : [])));
    for (const { file } of this.project.entries) known.add(this.project.display(file));
    for (const [id, users] of this.graph.from) {
      const [file = ''] = id.split('#');
      if ([...users.keys()].some((user) => !user.startsWith(`${file}#`))) known.add(file);
    }
    const isStart = (file: string): boolean =>
      (!known.has(file) && !isTestFile(file)) || /(^|\/)fwk\.config\.m?[tj]s$/.test(file);
    return [...this.graph.modules.keys()].filter(isStart);
  }

  #kindOf(file: string): FileKind {
    if (SETTINGS.test(file)) return 'settings';
    if (file.startsWith('../')) return 'none';
    if (file.startsWith('views/')) return 'template';
    if (file.startsWith('public/')) return 'public';
    if (/^\.env(\.|$)/.test(path.posix.basename(file))) return 'env';
    if (OF_TESTS.test(file) || (isTestFile(file) && !isModule(file))) return 'tests';
    if (BESIDE.test(file) && !file.split('/').some((name) => this.#spelling(name).length > 0)) return 'none';
    return isModule(file) ? 'module' : 'data';
  }

  /** The units with a text that ends in a name. */
  #spelling(name: string, isWhole = true): readonly string[] {
    const isFound = (text: string): boolean =>
      isWhole ? `/${text}`.endsWith(`/${name}`) : text.endsWith(name);
    return [...this.graph.units].flatMap(([id, { strings }]) => ([...strings].some(isFound) ? [id] : []));
  }

  #seedsOf({ file, before, after }: Change): readonly string[] {
    const kind = this.kinds.get(file);
    if (kind === 'env') return changedVariables(before, after).flatMap((name) => [`env:${name}`, 'env:*']);
    if (kind === 'settings') this.count(`${file} may matter to all of the app`);
    if (kind === 'data') return this.#readersOf(file);
    if (kind === 'template') {
      const views = new Set([`view:${file.replace(/^views\/|\.[^./]*$/g, '')}`]);
      for (const one of views) for (const user of this.graph.from.get(one)?.keys() ?? []) views.add(user);
      if (![...views].some((id) => this.graph.units.has(id))) this.count(`no view() names ${file}`);
      return [...views].slice(0, 1);
    }
    if (kind === 'module') this.#checkSpecialFile(file, before, after);
    return [];
  }

  /** The units that may read a data file. Its name may be computed from its directory and its extension. */
  #readersOf(file: string): readonly string[] {
    const imported = this.graph.from.has(`data:${file}`) ? [`data:${file}`] : [];
    const { base, dir, ext } = path.posix.parse(file);
    const named = [...imported, ...this.#spelling(base)];
    const directory = named.length > 0 ? [] : this.#spelling(path.posix.basename(dir));
    const readers = directory.length > 0 ? [...directory, ...this.#spelling(ext, false)] : named;
    if (readers.length === 0) this.count(`${file} may matter to all of the app`);
    return readers;
  }

  /** The first and the last file of some directories change the app itself, and so does the first or last value of the session. */
  #checkSpecialFile(file: string, before = '', after = ''): void {
    const source = sourceOf(this.project, file);
    const [directory = ''] = source.split('/');
    const [had, has] = [before, after].map((text) => /['"`]session['"`]/.test(text));
    const isNewOrGone = before === '' || after === '';
    const isOther = ({ file: other }: { readonly file: string }): boolean =>
      other !== source && other.startsWith(`${directory}/`);
    const isOnly = /^(ws|queues)\//.test(source) && !this.project.entries.some(isOther);
    if ((had !== has && directory === 'di') || (isNewOrGone && (isOnly || /^mcp\/auth\./.test(source))))
      this.count(`${file} may add a part of fwk to the app`);
  }
}

function changedVariables(before = '', after = ''): readonly string[] {
  const [then = [], now = []] = [before, after].map((text) => text.split(/\r?\n/));
  const differing = [...then, ...now].filter((line) => !then.includes(line) || !now.includes(line));
  return differing.flatMap((line) => /^\s*(?:export\s+)?([\w.]+)\s*=/.exec(line)?.[1] ?? []);
}
