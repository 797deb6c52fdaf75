import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { distance } from 'fastest-levenshtein';
import type { Project } from '../../kernel/index.js';
import { listDirectory, readText } from '../../loader/index.js';
import { conventionDirectories } from '../builtins.js';
import { type Issue, type PluginNames, unread } from './issue.js';
import { CONFIG, unreadSettings } from './unread-settings.js';
import { type WrappedExport, wrappedExport } from './wrapped-export.js';

/** Modules in any notation, with their extension. */
const MODULE = /^[^.].*\.[cm]?[jt]sx?$/;
/** Modules whose extension another program has changed. */
const MODULE_LIKE = /^[^.].*\.[cm]?[jt]sx?(?:\.txt)?$/i;
/** Files that browsers request. */
const ASSET = /\.(?:html?|css|ico|svg|png|jpe?g|gif|webp|avif|woff2?|webmanifest)$/i;
/** Names that no convention reads, and that are not meant to be read: declarations, tests and source maps. */
const TEST = /\.(?:d|test|spec|bench)\.[^.]+$|\.map$|^(?:tests?|__tests__|fixtures|node_modules)\/?$/;

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

/** Files that look as if fwk reads them, but that no plugin claims. The files of the plugins in `disabled` are another issue. */
export function unreadFiles(project: Project, { enabled, disabled }: PluginNames): Issue[] {
  const { root, source } = project;
  // Files in the source directory itself are in `files`, because plugins rarely claim any of them.
  const unclaimed = (project.unclaimed ?? []).filter((file) => file.slice(0, -1).includes('/'));
  const { files, directories } = unknownIn(project, unclaimed);
  const modules = directories.flatMap((directory) => directory.modules);
  const texts = new Texts(project, modules);
  const isMisnamed = (name: string): boolean =>
    /^_/.test(name) &&
    isLike(name.replace(/[./].*$/, ''), '_middleware') &&
    !disabled.includes('middlewares');
  const sources = unclaimed.filter((file) => !TEST.test(nameOf(file)));
  const ofHelpers = sources.filter((file) => {
    const name = nameOf(file);
    return name.startsWith('_') && MODULE.test(name) && !isMisnamed(name);
  });
  const besideSource = source === join(root, 'src') ? conventionDirectories() : [];
  const candidates = [
    ...ofHelpers,
    ...files,
    ...modules,
    ...besideSource.flatMap((name) => modulesBelow(source, `../${name}`)),
  ];
  const issues = [
    ...sources.flatMap((file) =>
      isMisnamed(nameOf(file)) ? misnamedMiddleware(file) : otherFormat(file, texts),
    ),
    ...directories.flatMap((directory) => directoryIssues(directory, project, texts)),
    ...unreadSettings(project, (file) => texts.isImported(file)),
    ...candidates.flatMap((file) => {
      const wrapped = texts.wrappedExport(file);
      if (!wrapped || disabled.includes(wrapped.plugin?.name ?? '') || texts.isImported(file)) return [];
      return misplaced(file, wrapped, project, enabled);
    }),
  ];
  // One message for a directory is enough.
  return issues.filter(
    ({ file, isRefused }) =>
      isRefused || !issues.some((one) => one.isRefused && one.file?.startsWith(`${file}/`)),
  );
}

interface Directory {
  readonly name: string;
  readonly meant: string | undefined;
  readonly modules: readonly string[];
}

/** The modules and directories in the source directory that no convention reads. */
function unknownIn(project: Project, unclaimed: readonly string[]) {
  const { root, source, entries } = project;
  const known = new Set([
    ...conventionDirectories(),
    ...[...entries.map(({ file }) => file), ...unclaimed].map(topOf),
  ]);
  const unknown = listDirectory(source).filter(
    ({ name }) => !name.startsWith('.') && !TEST.test(name) && !known.has(name),
  );
  const files = unknown
    .filter((dirent) => dirent.isFile() && MODULE.test(dirent.name) && !isEntry(dirent.name))
    .map(({ name }) => name);
  const directories = unknown.flatMap((dirent): Directory[] => {
    const { name } = dirent;
    const meant = meantBy(name);
    // Beside JavaScript sources, there may be any number of directories that hold no sources.
    const isOther = source === root && meant === undefined && name !== 'cron' && name !== 'queues';
    return dirent.isDirectory() && !isOther ? [{ name, meant, modules: modulesBelow(source, name) }] : [];
  });
  return { files, directories };
}

function otherFormat(file: string, texts: Texts): Issue | readonly [] {
  const name = nameOf(file);
  if (name.startsWith('_')) return [];
  if (!MODULE.test(name) && MODULE_LIKE.test(name)) return otherExtension(file);
  if (topOf(file) === 'web' && ASSET.test(name)) return asset(file);
  if (/\.[jt]sx$/.test(name) && conventionDirectories().includes(topOf(file))) return jsxFile(file);
  return /\.c[jt]s$/.test(name) && !texts.isImported(file) ? commonJsFile(file) : [];
}

function directoryIssues({ name, meant, modules }: Directory, project: Project, texts: Texts): Issue[] {
  const { root, source } = project;
  const issues: Issue[] = [];
  if (source !== root && (name === 'public' || name === 'views') && !existsSync(join(root, name)))
    issues.push({
      ...unread,
      file: name,
      message: `is not read: fwk reads ${name}/ next to package.json.`,
      fix: 'Move it there.',
    });
  if (meant !== undefined && modules.length > 0 && !modules.some((file) => texts.isImported(file)))
    issues.push({
      ...unread,
      file: name,
      message: 'is not a directory that fwk reads, and nothing imports its modules.',
      fix: `Rename it to ${project.display(meant)}, or delete it.`,
    });
  return issues;
}

function misplaced(
  file: string,
  { wrapper, place, plugin }: WrappedExport,
  project: Project,
  enabled: ReadonlySet<string>,
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
  rule: 'misspelled-name',
  code: 'FWK119',
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

const otherExtension = (file: string): Issue => ({
  ...unread,
  file,
  message: 'is not read: the extension of a module is .ts, .mts, .js or .mjs, in lower case.',
  fix: 'Rename it, or delete it.',
  isRefused: true,
});

const asset = (file: string): Issue => ({
  ...unread,
  file,
  message: 'is not served: fwk serves files that are not modules from public/ next to package.json.',
  fix: 'Move it there, or begin the name of its directory with "_" if a module reads it.',
});

const nameOf = (file: string): string => file.slice(file.lastIndexOf('/', file.length - 2) + 1);

const isEntry = (name: string): boolean => name.startsWith('main.') || CONFIG.test(name);

const topOf = (file: string): string => file.split('/', 1)[0] ?? '';

const isLike = (name: string, other: string): boolean => distance(name.toLowerCase(), other) <= 2;

function meantBy(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (Object.hasOwn(MEANT, lower)) return MEANT[lower];
  if (isLike(lower, 'middlewares')) return 'middlewares';
  if (name !== lower && conventionDirectories().includes(lower)) return lower;
  // Not by distance: "server" is as close as most misspellings.
  return /^ser[vi]+[ces]{3}$|^sevices?$/.test(lower) ? 'services' : undefined;
}

/** The modules below a directory, relative to `source`, without tests. */
function modulesBelow(source: string, directory: string): string[] {
  return listDirectory(join(source, directory)).flatMap((dirent) => {
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
  #imported: ReadonlySet<string> | undefined;

  /** `others`: modules that may import others, beside the modules that plugins claim. */
  constructor(
    private readonly project: Project,
    private readonly others: readonly string[],
  ) {}

  wrappedExport(file: string): WrappedExport | undefined {
    const path = join(this.project.source, file);
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (changed === undefined) return undefined;
    const before = known.get(path);
    if (before?.changed === changed) return before.wrapped;
    const wrapped = wrappedExport(readText(path));
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
    const { source, entries } = this.project;
    const top = listDirectory(source).flatMap((one) =>
      one.isFile() && MODULE.test(one.name) ? one.name : [],
    );
    const names = new Set<string>();
    for (const file of [...entries.map((entry) => entry.file), ...top, ...this.others])
      for (const [, specifier = ''] of readText(join(source, file)).matchAll(
        /\b(?:from|import)\s*\(?\s*['"]([^'"\n]+)['"]/g,
      ))
        names.add(specifier.replace(/^.*\//, '').replace(/\.[cm]?[jt]sx?$/, ''));
    return names;
  }
}
