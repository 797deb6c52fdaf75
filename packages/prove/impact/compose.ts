import type { Project } from 'fwkit/plugin';
import { fileOf, unitOf } from '../facts/facts.js';
import { INIT } from '../facts/units.js';
import type { Graph } from '../graph/graph.js';
import type { Wanted } from './changes.js';
import type { Endpoints } from './endpoint-changes.js';
import type { Endpoint, Group } from './endpoints.js';
import type { FileKind } from './file-kinds.js';
import type { Store } from './shared-data.js';
import type { ChangedUnits, Spread } from './spread.js';
import { isDeleted, type SourceChange } from './versions.js';

/** A file that differs from what it was. All files of a report are relative to the root of the project. */
interface ChangedFile {
  readonly file: string;
  /** What of it: names of declarations and members of a module; empty where nothing that runs is another. */
  readonly parts: readonly string[];
  /** In a few words, what was taken into account: `types and comments only`; or why nothing is reached. Absent where all is said by what is. */
  readonly note?: string;
}

/** What a change reaches: a request for it may be answered in another way. */
export interface Reached {
  readonly label: string;
  readonly file: string;
  readonly kind: string;
  /** The files on the way from the changed one to it; empty where it is reached because of something else, which `why` says. */
  readonly by: readonly string[];
  /** Set where it is reached by another rule than by its code. */
  readonly why?: string;
  /** Set where it is no more. */
  readonly isGone?: true;
}

/** Data that may carry a change further than code does. */
interface Shared {
  /** `database`, `login`: the key of `ctx`; a file, where a module holds what changes. */
  readonly through: string;
  /** Labels of all that uses it. */
  readonly endpoints: readonly string[];
}

/** A place from which anything may be reached: what goes by there is part of each answer. */
interface BlindPlace {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly why: string;
}

/** What `fwk impact --json` prints. */
export interface Impact extends Readonly<Record<Group, readonly Reached[]>> {
  readonly version: 1;
  /** The ref that was asked for, and the commit that the change began with. */
  readonly since?: string;
  readonly base?: string;
  readonly changed: readonly ChangedFile[];
  /** Sentences that say why all there is counts as reached; empty where it does not. */
  readonly everything: readonly string[];
  readonly tests: readonly string[];
  readonly shared: readonly Shared[];
  readonly blind: readonly BlindPlace[];
  /** What keeps changed files from being read, or the project from being started: each a line, with its file. */
  readonly problems: readonly string[];
  /** How many there are, changed or not. */
  readonly total: Readonly<Record<'endpoints' | 'tests', number>>;
}

export const GROUPS: readonly Group[] = ['routes', 'pages', 'sockets', 'tools', 'jobs', 'files'];

export const reachedOf = (impact: Impact): readonly Reached[] => GROUPS.flatMap((group) => impact[group]);

const NOTES: Readonly<Record<Exclude<FileKind, 'module'>, string>> = {
  template: 'a template',
  public: 'answered at its own URL',
  lock: 'the packages whose versions it changes',
  tests: 'belongs to the tests: all of them',
  none: 'nothing that runs can tell',
  whole: 'all of the app',
};

/** Puts a report together. */
export class Composer {
  readonly #ways = new Map<Endpoint, Pick<Reached, 'by' | 'why'>>();
  readonly #files: Reached[] = [];
  #changed: ChangedFile[] = [];
  #everything: readonly string[] = [];
  #tests: readonly string[] = [];
  #testCount = 0;
  #shared: Shared[] = [];
  #blind: BlindPlace[] = [];

  constructor(
    private readonly project: Project,
    private readonly endpoints: Endpoints,
    private readonly wanted: Wanted,
  ) {
    for (const endpoint of endpoints.gone) this.#ways.set(endpoint, { by: [] });
  }

  get reached(): ReadonlySet<Endpoint> {
    return new Set(this.#ways.keys());
  }

  get isAnything(): boolean {
    return this.#ways.size > 0 || this.#files.length > 0;
  }

  changed(
    changes: readonly SourceChange[],
    kinds: ReadonlyMap<SourceChange, FileKind>,
    units: ChangedUnits,
  ): void {
    const parts = new Map<string, Set<string>>();
    for (const id of [...units.before, ...units.after]) {
      const known = parts.get(fileOf(id)) ?? new Set();
      parts.set(fileOf(id), known.add(partName(unitOf(id))));
    }
    const policies = this.project.entries.filter(({ kind }) => kind === 'policy').map(({ file }) => file);
    this.#changed = changes.map((change) => {
      const kind = kinds.get(change) ?? 'whole';
      const own = [...(parts.get(change.source) ?? [])].sort();
      if (kind !== 'module') return { file: change.file, parts: [], note: NOTES[kind] };
      const isPolicy = policies.includes(change.source);
      if (own.length > 0)
        return { file: change.file, parts: own, ...(isPolicy ? { note: 'is for fwk prove alone' } : {}) };
      return { file: change.file, parts: [], note: 'types, comments or layout alone: nothing that runs' };
    });
  }

  /** Files of which parts are others, and that lead to nothing that can be asked. */
  unreached(files: readonly string[]): void {
    const ends = new Set([...this.#ways.values()].map(({ by }) => by.at(-1)));
    this.#changed = this.#changed.map((one) =>
      files.includes(one.file) && one.note === undefined && !ends.has(one.file)
        ? { ...one, note: 'reached by no endpoint' }
        : one,
    );
  }

  /** Endpoints that are reached for a reason that code does not tell. */
  add(reasons: ReadonlyMap<Endpoint, string>): void {
    for (const [endpoint, why] of reasons)
      if (!this.#ways.has(endpoint)) this.#ways.set(endpoint, { by: [], why });
  }

  /** Endpoints whose code is reached, from the file on that it begins with. */
  spread(reached: ReadonlyMap<Endpoint, string>, spread: Spread): void {
    const edited = new Set(this.wanted.changes.map(({ file }) => file));
    for (const [endpoint, file] of reached) {
      const known = this.#ways.get(endpoint);
      const way = spread.way(file).map((one) => this.project.display(one));
      const tells = (by: readonly string[]): boolean => edited.has(by.at(-1) ?? '');
      if (!known || known.by.length === 0 || (tells(way) && !tells(known.by)))
        this.#ways.set(endpoint, { by: way });
    }
  }

  everything(sentences: readonly string[]): void {
    this.#everything = sentences;
    for (const endpoint of this.endpoints.now)
      if (!this.#ways.has(endpoint)) this.#ways.set(endpoint, { by: [] });
  }

  shared(stores: ReadonlyMap<Store, readonly Endpoint[]>): void {
    for (const [{ name }, endpoints] of stores) {
      const through = /\.\w+$/.test(name) ? this.project.display(name) : name;
      this.#shared.push({ through, endpoints: endpoints.map(({ label }) => label).sort() });
      if (this.wanted.withData)
        this.add(new Map(endpoints.map((one) => [one, `shares data through ${through}`])));
    }
  }

  publicFile(change: SourceChange): void {
    const path = change.file.slice('public'.length).replace(/\/index\.html$/, '/');
    const gone = isDeleted(change) ? { isGone: true as const } : {};
    this.#files.push({ label: `GET ${path}`, file: change.file, kind: 'public', by: [change.file], ...gone });
  }

  tests(files: readonly string[], count: number): void {
    this.#tests = files.map((file) => this.project.display(file)).sort();
    this.#testCount = count;
  }

  /** The places by which something is reached without being named. */
  blind(spread: Spread, graph: Graph): void {
    const places = new Map<string, BlindPlace>();
    for (const { file, line, why } of graph.leavesOf(spread.units).blind) {
      const shown = this.project.display(file);
      places.set(`${shown}:${line}`, { file: shown, line, why });
    }
    this.#blind = [...places.values()].sort((a, b) => compare(a.file, b.file) || a.line - b.line);
  }

  impact(problems: readonly string[]): Impact {
    const { since, base } = this.wanted;
    const lists = Object.fromEntries(GROUPS.map((group) => [group, this.#list(group)])) as Record<
      Group,
      Reached[]
    >;
    return {
      version: 1,
      ...(since === undefined ? {} : { since }),
      ...(base === undefined ? {} : { base }),
      changed: this.#changed,
      everything: this.#everything,
      ...lists,
      tests: this.#tests,
      shared: this.#shared,
      blind: this.#blind,
      problems,
      total: { endpoints: this.endpoints.now.length, tests: this.#testCount },
    };
  }

  #list(group: Group): Reached[] {
    const gone = new Set(this.endpoints.gone);
    const own = [...this.#ways].filter(([endpoint]) => endpoint.group === group);
    const reached = own.map(([endpoint, way]): Reached => {
      const { label, kind, file } = endpoint;
      const isGone = gone.has(endpoint) ? { isGone: true as const } : {};
      return { label, file: this.project.display(file), kind, ...way, ...isGone };
    });
    const all = group === 'files' ? [...reached, ...this.#files] : reached;
    return all.sort((a, b) => compare(a.label, b.label) || compare(a.file, b.file));
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** `init` is what runs on import; `default.list` the member `list` of what a module makes. */
const partName = (unit: string): string => (unit === INIT ? 'import' : unit.replace(/^default[./]/, ''));
