import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { Project, ProviderInfo } from 'fwkit/plugin';
import type { Facts } from '../facts/facts.js';
import { factsOf } from '../facts/module-facts.js';
import { packageOf } from '../facts/names.js';
import { Graph } from './graph.js';
import type { Destination } from './linker.js';

/** What of a project its graph is read from. */
export type Readable = Pick<Project, 'root' | 'source' | 'entries' | 'resolveImport'> & {
  readonly providers: readonly ProviderInfo[];
};

export interface ReadOptions {
  /** The text of a file, by path relative to the source directory, in place of that on disk; undefined where it has none. */
  readonly read?: (file: string) => Promise<string | undefined>;
  /** The files to begin with. Default: all modules of the project, and its tests. */
  readonly files?: Iterable<string>;
  /** Another version of the same files: what is the same in both is taken from it. */
  readonly like?: Graph | undefined;
}

const MODULE = /\.[cm]?[jt]sx?$/;
const DECLARATION = /\.d\.[cm]?ts$/;
const TEST = /\.(test|spec)\.[cm]?[jt]sx?$/;
/** Directories with modules that are made, or that browsers run. */
const APART = new Set(['node_modules', 'dist', 'coverage', 'public']);
const AT_ONCE = 64;

/** Read all modules of a project, and link them. Nothing is imported. */
export async function readGraph(project: Readable, options: ReadOptions = {}): Promise<Graph> {
  const reader = new Reader(project, options);
  await reader.add([...(options.files ?? (await modulesOf(project)))].sort());
  const linkable = {
    modules: new Map([...reader.modules].sort(([a], [b]) => (a < b ? -1 : 1))),
    destinations: reader.destinations,
    providers: new Map(project.providers.map(({ key, file }) => [key, file])),
    // What a policy is made of is no handler.
    entries: project.entries.filter(({ kind }) => kind !== 'policy').map(({ file }) => file),
  };
  return new Graph(linkable, options.like);
}

/** The modules below the source directory, and tests that are beside it, by path relative to it. */
export async function modulesOf({ root, source }: Pick<Readable, 'root' | 'source'>): Promise<string[]> {
  const found: string[] = [];
  const look = async (directory: string): Promise<void> => {
    const entries = await readdir(directory, { withFileTypes: true });
    if (directory !== root && entries.some(({ name }) => name === 'package.json')) return;
    const isSource = directory === source || directory.startsWith(source + sep);
    const below: Promise<void>[] = [];
    for (const entry of entries) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) {
        const isApart = entry.name === 'node_modules' || (dirname(path) === root && APART.has(entry.name));
        if (!isApart && !entry.name.startsWith('.')) below.push(look(path));
      } else if (
        MODULE.test(entry.name) &&
        !DECLARATION.test(entry.name) &&
        (isSource || TEST.test(entry.name))
      )
        found.push(slashed(relative(source, path)));
    }
    await Promise.all(below);
  };
  await look(root);
  return found.sort();
}

const slashed = (path: string): string => (sep === '/' ? path : path.replaceAll(sep, '/'));

class Reader {
  readonly modules = new Map<string, Facts>();
  readonly destinations = new Map<string, ReadonlyMap<string, Destination>>();
  readonly #project: Readable;
  readonly #read: (file: string) => string | undefined | Promise<string | undefined>;
  readonly #like: Graph | undefined;
  readonly #asked = new Set<string>();
  /** By the directory of the importer, and the specifier. */
  readonly #resolved = new Map<string, Destination>();

  constructor(project: Readable, { read, like }: Pick<ReadOptions, 'read' | 'like'>) {
    this.#project = project;
    this.#like = like;
    this.#read = read ?? ((file) => textOf(join(project.source, file)));
  }

  /** Read files, and those that they import. */
  async add(files: readonly string[]): Promise<void> {
    let todo = files.filter((file) => this.#isNew(file));
    while (todo.length > 0) {
      const parsed: Facts[] = [];
      for (let at = 0; at < todo.length; at += AT_ONCE)
        for (const facts of await Promise.all(todo.slice(at, at + AT_ONCE).map((file) => this.#parse(file))))
          if (facts) parsed.push(facts);
      const next = new Set<string>();
      for (const facts of parsed) for (const file of await this.#resolve(facts)) next.add(file);
      todo = [...next].filter((file) => this.#isNew(file));
    }
  }

  #isNew(file: string): boolean {
    if (this.#asked.has(file)) return false;
    this.#asked.add(file);
    return true;
  }

  async #parse(file: string): Promise<Facts | undefined> {
    const text = await this.#read(file);
    if (text === undefined) return undefined;
    const facts = factsOf(file, text);
    this.modules.set(file, facts);
    return facts;
  }

  /** Find where the imports of a module lead. Returns files of the project. */
  async #resolve(facts: Facts): Promise<string[]> {
    const known = this.#like?.modules.get(facts.file) === facts && this.#like.destinations.get(facts.file);
    const found = known || (await this.#destinations(facts));
    this.destinations.set(facts.file, found);
    return [...found.values()].flatMap((one) => (one.kind === 'file' ? [one.file] : []));
  }

  async #destinations(facts: Facts): Promise<ReadonlyMap<string, Destination>> {
    const specifiers = new Set(facts.imports);
    for (const { later, imports } of facts.units.values()) {
      for (const one of later) specifiers.add(one);
      for (const { specifier } of imports) specifiers.add(specifier);
    }
    const directory = dirname(facts.file);
    const found = new Map<string, Destination>();
    for (const one of specifiers)
      found.set(one, this.#neighbour(one, directory) ?? (await this.#remembered(one, facts.file)));
    return found;
  }

  /** Where an import leads is the same for all modules of a directory: most of them import the same packages. */
  async #remembered(specifier: string, importer: string): Promise<Destination> {
    const key = `${dirname(importer)}\n${specifier}`;
    const known = this.#resolved.get(key) ?? (await this.#destination(specifier, importer));
    this.#resolved.set(key, known);
    return known;
  }

  async #destination(specifier: string, importer: string): Promise<Destination> {
    if (isBuiltin(specifier)) return { kind: 'builtin', name: specifier.replace(/^(node:)?/, 'node:') };
    const from = join(this.#project.source, importer);
    const path = await this.#project.resolveImport(specifier, from);
    const isBare = !/^[./#]/.test(specifier);
    if (path === undefined)
      return isBare ? { kind: 'package', name: packageOf(specifier) } : { kind: 'missing', name: specifier };
    if (path.startsWith('node:')) return { kind: 'builtin', name: path };
    const inside = path.split(sep).lastIndexOf('node_modules');
    if (inside >= 0)
      return {
        kind: 'package',
        name: packageOf(
          slashed(
            path
              .split(sep)
              .slice(inside + 1)
              .join(sep),
          ),
        ),
      };
    const file = slashed(relative(this.#project.source, path));
    // A package that is linked, as in a workspace, is none of the project's sources.
    if (isBare && relative(this.#project.root, path).startsWith('..'))
      return { kind: 'package', name: packageOf(specifier) };
    return { kind: 'file', file };
  }

  /** The one module that is known already and that a path can mean: most imports need not be looked up on disk. */
  #neighbour(specifier: string, directory: string): Destination | undefined {
    if (!/^\.\.?\//.test(specifier)) return undefined;
    const path = slashed(join(directory, specifier));
    const typed = /\.([cm]?)js$/.test(path) ? path.replace(/\.([cm]?)js$/, '.$1ts') : undefined;
    const candidates = [path, typed].filter((one) => one !== undefined && this.#asked.has(one));
    const [file] = candidates;
    return candidates.length === 1 && file !== undefined && /\./.test(basename(path))
      ? { kind: 'file', file }
      : undefined;
  }
}

/** Thousands of small files are read in half the time this way, and parsing them takes the thread as well. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
