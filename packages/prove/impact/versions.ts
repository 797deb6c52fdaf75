import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ctxKeyOf, type Entry, type Project, type ProviderInfo, providersOf } from 'fwkit/plugin';
import type { Graph } from '../graph/graph.js';
import { modulesOf, type Readable, readGraph } from '../graph/read-graph.js';
import type { Change } from './changes.js';
import { formerKind, isModule } from './file-kinds.js';
import type { Versions } from './spread.js';
import { findTestModules } from './tests.js';

/** A change of a file, by the path that the graph has for it: relative to the source directory. */
export interface SourceChange extends Change {
  readonly source: string;
}

export const isAdded = ({ before, after }: Change): boolean => before === undefined && after !== undefined;
export const isDeleted = ({ before, after }: Change): boolean => before !== undefined && after === undefined;

/** Converts between paths from the root, which people see, and from the source directory, which the framework has. */
export class Places {
  constructor(private readonly project: Pick<Project, 'root' | 'source'>) {}

  fromSource(file: string): string {
    const { root, source } = this.project;
    return slashed(path.relative(root, path.join(source, file)));
  }

  fromRoot(file: string): string {
    const { root, source } = this.project;
    return slashed(path.relative(source, path.join(root, file)));
  }
}

const slashed = (file: string): string => file.split(path.sep).join('/');

/** A project in both versions, and its test modules: relative to the source directory. */
export interface BothVersions extends Versions {
  readonly tests: readonly string[];
  /** Files that conventions read, or read before. */
  readonly claimed: ReadonlySet<string>;
  /** Of the project as it is. */
  readonly providers: readonly ProviderInfo[];
}

/** Read what the project is, and what it was. */
export async function readVersions(
  project: Project,
  changes: readonly SourceChange[],
): Promise<BothVersions> {
  const places = new Places(project);
  const tests = findTestModules(project.root).map((file) => places.fromRoot(file));
  // What nothing imports is read, too, so that its types and comments are told from the rest.
  const own = changes.filter(({ file }) => isModule(file) && !file.startsWith('../'));
  const there = own.filter(({ after }) => after !== undefined).map(({ source }) => source);
  const files = [...new Set([...(await modulesOf(project)), ...tests, ...there])];
  const providers = providersIn(project);
  const resolveImport = remembering(project);
  const after = await readGraph(readable(project, providers, project.entries, resolveImport), { files });
  const past = changes.filter(
    ({ source, before, after: now }) => before !== now && (isModule(source) || after.modules.has(source)),
  );
  const entries = formerEntries(project, past);
  const claimed = new Set([...project.entries, ...entries].map(({ file }) => file));
  if (past.length === 0) return { before: after, after, tests, claimed, providers };
  const texts = new Map(past.map(({ source, before }) => [source, before?.toString()]));
  const gone = past.filter(isDeleted).map(({ source }) => source);
  // Where a file comes or goes, imports may lead elsewhere.
  const isSameFiles = !changes.some((change) => isAdded(change) || isDeleted(change));
  const before = await readGraph(
    readable(project, formerProviders(providers, past), entries, resolveImport),
    {
      files: [...files.filter((file) => !texts.has(file) || texts.get(file) !== undefined), ...gone],
      like: isSameFiles ? after : undefined,
      read: async (file) => (texts.has(file) ? texts.get(file) : textOf(project, after, file)),
    },
  );
  return { before, after, tests, claimed, providers };
}

/** The text of a file that did not change. One that only the former version imports is read now. */
const textOf = async ({ source }: Project, graph: Graph, file: string): Promise<string | undefined> =>
  graph.modules.get(file)?.text ?? readFile(path.join(source, file), 'utf8').catch(() => undefined);

type ResolveImport = Readable['resolveImport'];

const readable = (
  { root, source }: Project,
  providers: readonly ProviderInfo[],
  entries: readonly Entry[],
  resolveImport: ResolveImport,
): Readable => ({ root, source, providers, entries, resolveImport });

/** Where an import leads is the same for all modules of a directory: most of them import the same packages. */
function remembering(project: Project): ResolveImport {
  const known = new Map<string, ReturnType<ResolveImport>>();
  return (specifier, importer) => {
    const key = `${path.dirname(importer)}\n${specifier}`;
    const found = known.get(key) ?? project.resolveImport(specifier, importer);
    known.set(key, found);
    return found;
  };
}

const PROVIDER = /^(services|di)\//;

/** The values of ctx. Those that cannot be imported are known by their files. */
function providersIn(project: Project): readonly ProviderInfo[] {
  const providers = providersOf(project);
  const known = new Set(providers.map(({ file }) => file));
  const broken = project.entries.filter(({ file }) => PROVIDER.test(file) && !known.has(file));
  return [...providers, ...broken.map(({ file }) => providerIn(file))];
}

const providerIn = (file: string): ProviderInfo => ({ key: ctxKeyOf(file), file, lifetime: 'singleton' });

function formerProviders(
  providers: readonly ProviderInfo[],
  changes: readonly SourceChange[],
): ProviderInfo[] {
  const added = new Set(changes.filter(isAdded).map(({ source }) => source));
  const gone = changes.filter((change) => isDeleted(change) && PROVIDER.test(change.source));
  return [
    ...providers.filter(({ file }) => !added.has(file)),
    ...gone.map(({ source }) => providerIn(source)),
  ];
}

const topOf = (file: string): string => file.slice(0, file.indexOf('/') + 1);

/** Files that conventions read: those that are gone lay in the same directories. */
function formerEntries({ entries }: Project, changes: readonly SourceChange[]): Entry[] {
  const added = new Set(changes.filter(isAdded).map(({ source }) => source));
  const kinds = new Map(entries.map(({ file, kind }) => [topOf(file), kind]));
  const gone = changes.filter(isDeleted).flatMap(({ source }) => {
    const top = topOf(source);
    const kind = (top === '' ? undefined : kinds.get(top)) ?? formerKind(source);
    return kind === undefined ? [] : [{ file: source, kind }];
  });
  return [...entries.filter(({ file }) => !added.has(file)), ...gone];
}
