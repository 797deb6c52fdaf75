import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { type Project, providersOf } from 'fwkit/plugin';
import { Facts } from './facts.js';
import { readModule } from './read-module.js';

/** A value of `ctx`. `file`: relative to the root; undefined if a plugin provides it. */
export interface Provider {
  readonly key: string;
  readonly file: string | undefined;
  readonly lifetime: string;
}

/** `destinations`: the target of each import, as `file:src/x.ts`, `package:name`, `node:fs`; '' for nowhere. */
export type Module = { readonly facts: Facts; readonly destinations: ReadonlyMap<string, string> };

/** All modules of a project. Files are relative to its root, with forward slashes. */
export interface Modules {
  readonly modules: ReadonlyMap<string, Module>;
  readonly providers: readonly Provider[];
  /** The ids of units whose text differs: `file#unit`. */
  readonly changed: ReadonlySet<string>;
  /** The texts of the templates in `views/`, by path from the root. */
  readonly templates: ReadonlyMap<string, string>;
}

const APART = /^(node_modules|dist|coverage|public|\..*)$/;
const TESTS = /(^|\/)(tests?|__tests__|__mocks__|__snapshots__|e2e)\/|(^|[./_-])(test|spec)\.[cm]?[jt]sx?$/;
export const isTestFile = (file: string): boolean => TESTS.test(file);
export const isModule = (file: string): boolean =>
  /\.[cm]?[jt]sx?$/.test(file) && !/\.d\.([^/]*\.)?[cm]?ts$/.test(file);

/** The values of `ctx`. The framework itself provides the logger. */
export function providersIn(project: Project): readonly Provider[] {
  const logger = { key: 'logger', file: undefined, lifetime: 'singleton' };
  const fileOf = (file: string) => (file.startsWith('plugin "') ? undefined : project.display(file));
  return [logger, ...providersOf(project).map((one) => ({ ...one, file: fileOf(one.file) }))];
}

export const filesBelow = (root: string, directory = ''): readonly string[] =>
  readdirSync(path.join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    if (APART.test(entry.name) && (directory === '' || /^(node_modules|\..*)$/.test(entry.name))) return [];
    const file = path.posix.join(directory, entry.name);
    return entry.isDirectory() ? filesBelow(root, file) : [file];
  });

export function textOf(root: string, file: string): string | undefined {
  try {
    return readFileSync(path.join(root, file), 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * Read the modules of a project, and modules that they import. `before`: the texts that changed files had; undefined for a new file. A
 * changed module counts in both versions. Imports nothing.
 */
export async function readModules(
  project: Pick<Project, 'root' | 'resolveImport'>,
  providers: readonly Provider[],
  before: ReadonlyMap<string, string | undefined> = new Map(),
  withTests = false,
): Promise<Modules> {
  const { root } = project;
  const modules = new Map<string, Module>();
  const changed = new Set<string>();
  const templates = new Map<string, string>();
  const resolved = new Map<string, string>();
  const keys = new Set(providers.map(({ key }) => key));
  const files = new Set(filesBelow(root));
  for (const file of before.keys()) if (!file.startsWith('../')) files.add(file);
  for (const file of files)
    if (file.startsWith('views/')) templates.set(file, `${textOf(root, file)}\n${before.get(file)}`);
  const todo = new Set([...files].filter((file) => isModule(file) && (withTests || !isTestFile(file))));
  for (const file of todo) {
    const facts = new Facts();
    const isProvider = providers.some((one) => one.file === file);
    const common = { file, isProvider, isCompared: before.has(file), keys };
    const [then, now] = [before.get(file), textOf(root, file)];
    if (then !== undefined) readModule(facts, { ...common, text: then, version: 0 });
    if (now !== undefined) readModule(facts, { ...common, text: now, version: 1 });
    for (const [name, { prints }] of facts.units) if (prints[0] !== prints[1]) changed.add(`${file}#${name}`);
    const destinations = new Map<string, string>();
    if (facts.units.size > 0) modules.set(file, { facts, destinations });
    for (const specifier of facts.specifiers) {
      const key = `${/^[./]/.test(specifier) ? path.posix.dirname(file) : ''}\n${specifier}`;
      const to = resolved.get(key) ?? (await destinationOf(specifier, file));
      resolved.set(key, to);
      destinations.set(specifier, to);
      if (to.startsWith('file:') && isModule(to)) todo.add(to.slice('file:'.length));
    }
  }
  // An import that came or went changes nothing if another module imports the same module.
  const targets = [...modules].flatMap(([file, { facts, destinations }]) =>
    [...destinations].flatMap(([name, to]) =>
      isTestFile(file) || !facts.units.has(`+${name}`) ? [] : { id: `${file}#+${name}`, to },
    ),
  );
  for (const { id, to } of targets)
    if (targets.some((one) => one.to === to && !changed.has(one.id))) changed.delete(id);
  return { modules, providers, changed, templates };

  async function destinationOf(specifier: string, importer: string): Promise<string> {
    if (isBuiltin(specifier)) return specifier.replace(/^(node:)?/, 'node:');
    const isPath = /^[./#]/.test(specifier);
    const near = path.posix.join(path.posix.dirname(importer), specifier);
    // A file that is gone, and a file that is no module, are found by their paths.
    const known = [near, near.replace(/\.([cm]?)js$/, '.$1ts')].find((file) => files.has(file));
    if (known !== undefined && isPath) return `file:${known}`;
    const found = (await project.resolveImport(specifier, path.join(root, importer))) ?? '';
    if (found.startsWith('node:')) return found;
    const file = found && path.relative(root, found).split(path.sep).join('/');
    const inside = /.*node_modules\/(.*)/.exec(file)?.[1];
    // A linked package, such as another package of a workspace, isn't looked into, and neither is an absolute path outside of the project.
    const isNear = isPath && !specifier.startsWith('/');
    if (inside === undefined && (isNear || (file !== '' && !file.startsWith('../'))))
      return file && `file:${file}`;
    return `package:${/^(@[^/]*\/)?[^/]*/.exec(inside ?? specifier)?.[0]}`;
  }
}
