import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { distance } from 'fastest-levenshtein';
import type { Project } from '../../kernel/index.js';
import { conventionDirectories } from '../builtins.js';
import { configPaths, findConfig } from '../config.js';
import type { Issue, PluginNames } from './issue.js';
import { MODES } from './settings-issues.js';
import { type WrappedExport, wrappedExport } from './wrapped-export.js';

/** Modules in any notation, with their extension. */
const MODULE = /^[^.].*\.[cm]?[jt]sx?$/;
/** Names that no convention reads, and that are not meant to be read: declarations, tests and source maps. */
const TEST = /\.(?:d|test|spec|bench)\.[^.]+$|\.map$|^(?:tests?|__tests__|fixtures|node_modules)\/?$/;
const ENTRY = /^(?:main|fwk\.config)\./;

/** Other names that people give to the directory of a convention. Misspelled names are found by `meantBy`. */
const MEANT: Readonly<Record<string, string>> = {
  service: 'services',
  route: 'api',
  routes: 'api',
  apis: 'api',
  pages: 'web',
  websockets: 'ws',
  sockets: 'ws',
};

const unread = { rule: 'unread-file', code: 'FWK118' } as const;
const misspelled = { rule: 'misspelled-name', code: 'FWK119' } as const;

/**
 * Files that look as if fwk reads them, but that no plugin claims, such as guards that protect nothing. `disabled`: the names of
 * disabled plugins, whose files are another issue.
 */
export function unreadFiles(project: Project, { enabled, disabled }: PluginNames): Issue[] {
  const { root, source } = project;
  // Files in the source directory itself are listed below, because plugins rarely claim any of them.
  const unclaimed = (project.unclaimed ?? []).filter((file) => file.slice(0, -1).includes('/'));
  const texts = new Texts(project);
  const conventions = conventionDirectories();
  const claimed = new Set([...project.entries.map(({ file }) => file), ...unclaimed].map(topOf));
  const isKnown = (name: string) => conventions.includes(name) || claimed.has(name);
  const issues: Issue[] = [];
  const candidates: string[] = [];

  for (const file of unclaimed) {
    const name = file.slice(file.lastIndexOf('/', file.length - 2) + 1);
    if (TEST.test(name)) continue;
    if (name.startsWith('_')) {
      if (
        isLike(name.replace(/[./].*$/, '').toLowerCase(), '_middleware') &&
        !disabled.includes('middlewares')
      )
        issues.push(misnamedMiddleware(file));
      else if (MODULE.test(name)) candidates.push(file);
    } else if (/\.[jt]sx$/.test(name) && conventions.includes(topOf(file))) issues.push(jsxFile(file));
    else if (/\.c[jt]s$/.test(name) && !texts.isImported(file)) issues.push(commonJsFile(file));
  }

  for (const dirent of list(source)) {
    const { name } = dirent;
    if (name.startsWith('.') || TEST.test(name) || isKnown(name)) continue;
    if (dirent.isFile() && MODULE.test(name) && !ENTRY.test(name) && !claimed.has(name))
      candidates.push(name);
    if (!dirent.isDirectory()) continue;
    const meant = meantBy(name);
    // Beside JavaScript sources, there may be any number of directories that hold no sources.
    if (source === root && meant === undefined && name !== 'cron' && name !== 'queues') continue;
    const inside = modulesBelow(source, name);
    candidates.push(...inside);
    texts.add(inside);
    if (source !== root && (name === 'public' || name === 'views') && !existsSync(join(root, name)))
      issues.push({
        ...unread,
        file: name,
        message: `is not read: fwk reads ${name}/ next to package.json.`,
        fix: 'Move it there.',
      });
    if (meant !== undefined && inside.length > 0 && !inside.some((file) => texts.isImported(file)))
      issues.push({
        ...unread,
        file: name,
        message: 'is not a directory that fwk reads, and nothing imports its modules.',
        fix: `Rename it to ${project.display(meant)}, or delete it.`,
      });
  }

  for (const [mode, known] of MODES)
    if (mode !== project.mode && existsSync(join(root, `.env.${mode}`)))
      issues.push({
        ...unread,
        file: relative(source, join(root, `.env.${mode}`)),
        message: `is not read: the name of the mode is "${known}".`,
        fix: `Rename it to .env.${known}.`,
      });

  if (source !== root) {
    const isSource = source === join(root, 'src');
    for (const path of isSource || findConfig(source) === undefined ? configPaths('..') : [])
      if (existsSync(join(source, path)))
        issues.push({
          ...unread,
          file: path,
          message: `is not read: the config of this project belongs in ${project.display('.')}.`,
          fix: `Move it to ${project.display(path.replace(/^.*[\\/]/, ''))}.`,
          isRefused: true,
        });
    if (isSource) for (const name of conventions) candidates.push(...modulesBelow(source, `../${name}`));
  }

  for (const file of candidates) {
    const wrapped = texts.wrappedExport(file);
    if (!wrapped || disabled.includes(wrapped.plugin?.name ?? '') || texts.isImported(file)) continue;
    issues.push(misplaced(file, wrapped, { project, enabled }));
  }
  // One message for a directory is enough.
  return issues.filter(
    ({ file, isRefused }) =>
      isRefused || !issues.some((one) => one.isRefused && one.file?.startsWith(`${file}/`)),
  );
}

function misplaced(
  file: string,
  { wrapper, place, plugin }: WrappedExport,
  { project, enabled }: { readonly project: Project; readonly enabled: ReadonlySet<string> },
): Issue {
  const isMissing = plugin !== undefined && !enabled.has(plugin.name);
  return {
    ...unread,
    file,
    message: `exports ${wrapper}(), but fwk does not read this file, so it has no effect.`,
    fix: isMissing
      ? `Add plugins: [${plugin.make}()] to fwk.config.`
      : `Move it to ${place.replaceAll('$', project.display('x').slice(0, -1))}, or delete it.`,
    isRefused: true,
  };
}

const misnamedMiddleware = (file: string): Issue => ({
  ...misspelled,
  file: file.replace(/\/$/, ''),
  message: 'protects nothing: fwk reads only files that are named _middleware.ts, .mts, .js or .mjs.',
  fix: 'Rename it.',
  isRefused: true,
});

const jsxFile = (file: string): Issue => ({
  ...unread,
  file,
  message:
    'is not read: fwk reads .ts, .mts, .js and .mjs files here, and would read the compiled file in production.',
  fix: 'If it is a component, move it to lib/ or begin its name with "_". Otherwise, rename it to .ts or .js.',
  isRefused: true,
});

const commonJsFile = (file: string): Issue => ({
  ...unread,
  file,
  message: 'is not read: fwk reads .ts, .mts, .js and .mjs files here.',
  fix: 'Rename it, or delete it.',
  isRefused: true,
});

const topOf = (file: string): string => file.split('/', 1)[0] ?? '';

const isLike = (name: string, other: string): boolean => distance(name, other) <= 2;

function meantBy(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (Object.hasOwn(MEANT, lower)) return MEANT[lower];
  if (isLike(lower, 'middlewares')) return 'middlewares';
  if (name !== lower && conventionDirectories().includes(lower)) return lower;
  // Not by distance: "server" is as close as most misspellings.
  return /^ser[vi]+[ces]{3}$|^sevices?$/.test(lower) ? 'services' : undefined;
}

function list(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** The modules below a directory, relative to `source`, without tests. */
function modulesBelow(source: string, directory: string): string[] {
  return list(join(source, directory)).flatMap((dirent) => {
    const { name } = dirent;
    if (name.startsWith('.') || TEST.test(name)) return [];
    const file = `${directory}/${name}`;
    if (dirent.isDirectory()) return modulesBelow(source, file);
    return MODULE.test(name) ? [file] : [];
  });
}

/** The default exports of unclaimed modules by path, from the last time that a project of this process was checked. */
const known = new Map<string, { readonly changed: number; readonly wrapped: WrappedExport | undefined }>();

class Texts {
  readonly #project: Project;
  readonly #others: string[] = [];
  #imported: ReadonlySet<string> | undefined;

  constructor(project: Project) {
    this.#project = project;
  }

  /** Adds modules that may import others. */
  add(files: readonly string[]): void {
    this.#others.push(...files);
  }

  wrappedExport(file: string): WrappedExport | undefined {
    const path = join(this.#project.source, file);
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (changed === undefined) return undefined;
    const before = known.get(path);
    if (before?.changed === changed) return before.wrapped;
    const wrapped = wrappedExport(read(path));
    known.set(path, { changed, wrapped });
    return wrapped;
  }

  /** Whether a module of the project imports a module with the name of this file. Aliases may resolve to any directory. */
  isImported(file: string): boolean {
    this.#imported ??= this.#importedNames();
    const path = file.replace(/\.[^./]+$/, '').replace(/\/index$/, '');
    return this.#imported.has(path.slice(path.lastIndexOf('/') + 1));
  }

  #importedNames(): Set<string> {
    const { source, entries } = this.#project;
    const top = list(source).flatMap((one) => (one.isFile() && MODULE.test(one.name) ? one.name : []));
    const names = new Set<string>();
    for (const file of [...entries.map((entry) => entry.file), ...top, ...this.#others])
      for (const [, specifier = ''] of read(join(source, file)).matchAll(
        /\b(?:from|import)\s*\(?\s*['"]([^'"\n]+)['"]/g,
      ))
        names.add(specifier.replace(/^.*\//, '').replace(/\.[cm]?[jt]sx?$/, ''));
    return names;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
