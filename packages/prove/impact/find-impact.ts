import path from 'node:path';
import { readinessPathOf } from 'fwkit/http';
import { type BaseRoute, ctxKeyOf, type Project, providersOf } from 'fwkit/plugin';
import { type Endpoint, endpointsOf, formerEndpoint, type Group, overlaps } from '../graph/endpoints.js';
import type { Unit } from '../graph/facts.js';
import { Graph } from '../graph/graph.js';
import { isTestFile, providersIn, readModules } from '../graph/modules.js';
import type { Change, Changes } from './changes.js';
import { changedPackages, changedVariables, type FileKind, kindOf, SETTINGS } from './file-kinds.js';
import { Spread } from './spread.js';

/** An endpoint that a change reaches: a request for it may be answered differently. */
export interface Reached extends Pick<Endpoint, 'label' | 'file' | 'kind'> {
  readonly why: string;
  /** The data that carries the change: `ctx.ledger`, `src/lib/bus.ts heard`, `files`. */
  readonly through?: string;
  readonly isGone?: true;
}
type Reason = Pick<Reached, 'why' | 'through'>;

/** What `fwk impact --json` prints. All files are relative to the root. */
export interface Impact extends Readonly<Record<Group, readonly Reached[]>> {
  readonly version: 2;
  /** The ref to compare with, and the commit that the change began with. */
  readonly since: string | undefined;
  readonly base: string | undefined;
  /** The changed files, each with the declarations and members that differ. */
  readonly changed: readonly { readonly file: string; readonly parts: readonly string[] }[];
  /** Sentences that say why everything counts as reached; empty if it doesn't. */
  readonly everything: readonly string[];
  readonly tests: readonly string[];
  /** Places that can't be followed, so that everything counts as reached from there. */
  readonly unknown: readonly { readonly file: string; readonly line: number; readonly why: string }[];
  readonly total: Readonly<Record<'endpoints' | 'tests', number>>;
}

export const GROUPS: readonly Group[] = ['routes', 'pages', 'sockets', 'tools', 'jobs', 'files'];
export const reachedOf = (impact: Impact): readonly Reached[] => GROUPS.flatMap((group) => impact[group]);

export interface Resolution {
  readonly project: Project;
  readonly routes: readonly BaseRoute[];
}

export async function findImpact(
  { project, routes }: Resolution,
  { changes, since, base }: Changes & { readonly since: string | undefined },
): Promise<Impact> {
  const providers = [...providersIn(project)];
  for (const { file, after } of changes)
    if (after === undefined && /^(services|di)\//.test(sourceOf(project, file)))
      providers.push({ key: ctxKeyOf(sourceOf(project, file)), file, lifetime: 'singleton' });
  const before = new Map<string, string | undefined>();
  for (const one of changes)
    before.set(one.file, one.isWhole && one.after !== undefined ? undefined : one.before);
  const graph = new Graph(await readModules(project, { providers, before, withTests: true }));
  return { version: 2, since, base, ...new Finder(project, routes, changes, graph).impact() };
}

class Finder {
  readonly #everything: string[] = [];
  readonly #gone = new Set<Endpoint>();
  readonly #came = new Set<Endpoint>();
  readonly #kinds = new Map<string, FileKind>();
  readonly #endpoints: readonly Endpoint[];
  readonly #spread: Spread;

  constructor(
    private readonly project: Project,
    routes: readonly BaseRoute[],
    private readonly changes: readonly Change[],
    private readonly graph: Graph,
  ) {
    for (const { file } of changes) {
      const isSpelled = this.#spelling(file.split('/')).length > 0;
      this.#kinds.set(file, graph.modules.has(file) ? 'module' : kindOf(file, isSpelled));
    }
    this.#endpoints = this.#bothVersions(endpointsOf(project, routes));
    const seeds = [...graph.changed, ...changes.flatMap((change) => this.#seeds(change))];
    this.#spread = new Spread(graph, this.#endpoints, seeds);
    if (this.#spread.isEverything) this.#count('an object of the language changes');
    // A module that no import, convention or test leads to may start the app.
    const known = new Set(changes.flatMap(({ file, after }) => (after === undefined ? [file] : [])));
    for (const { file } of project.entries) known.add(project.display(file));
    for (const { destinations } of graph.modules.values())
      for (const to of destinations.values()) known.add(to.replace('file:', ''));
    for (const [id, users] of graph.from)
      for (const user of users.keys())
        if (!user.startsWith(`${id.split('#')[0]}#`)) known.add(id.split('#')[0] ?? '');
    for (const file of graph.modules.keys()) {
      const isStart = (!known.has(file) && !isTestFile(file)) || /(^|\/)fwk\.config\.m?[tj]s$/.test(file);
      if (isStart && graph.rootsOf(file).some(this.#spread.has)) this.#count(`the app starts with ${file}`);
    }
  }

  impact(): Omit<Impact, 'version' | 'since' | 'base'> {
    const reached = this.#reached();
    const list = (group: Group): Reached[] => this.#list(group, reached);
    const tests = [...this.graph.modules.keys()].filter((file) => isTestFile(file) && TEST_NAME.test(file));
    const isAll = this.#everything.length > 0 || [...this.#kinds.values()].includes('tests');
    const unknown = new Map<string, Impact['unknown'][number]>();
    for (const id of this.#spread.reached.keys())
      for (const one of this.graph.units.get(id)?.lost ?? []) {
        const [file = ''] = id.split('#');
        unknown.set(`${file}:${one.line}`, { file, ...one });
      }
    return {
      changed: this.changes.map(({ file }) => ({ file, parts: this.#partsOf(file) })),
      everything: this.#everything,
      ...{ routes: list('routes'), pages: list('pages'), sockets: list('sockets') },
      ...{ tools: list('tools'), jobs: list('jobs'), files: list('files') },
      tests: tests.filter((file) => isAll || this.#isTestReached(file, reached)),
      unknown: [...unknown.values()],
      total: { endpoints: this.#endpoints.length - this.#gone.size, tests: tests.length },
    };
  }

  #count = (why: string): unknown => this.#everything.push(`Everything is reached: ${why}.`);

  /** The endpoints that there are and that there were. */
  #bothVersions(served: readonly Endpoint[]): readonly Endpoint[] {
    const { project } = this;
    let now = [...served];
    const ready = readinessPathOf(project);
    const before = providersOf(project).flatMap((one) => (one.hasHealth ? project.display(one.file) : []));
    if (ready !== undefined && before.length > 0 && !served.some((one) => one.path === ready))
      now.push({ group: 'routes', kind: 'health', label: `GET ${ready}`, file: 'plugin "health"', before });
    for (const { file, before: then, after } of this.changes) {
      const source = sourceOf(project, file);
      const former = then === undefined ? undefined : formerEndpoint(source, file, then);
      const own = now.filter((one) => one.file === file);
      const isMoved = former?.method !== undefined && own[0] !== undefined && own[0].method !== former.method;
      if (then === undefined || isMoved) for (const one of own) this.#came.add(one);
      if (former && (after === undefined || isMoved)) this.#gone.add(former);
      if (after !== undefined) continue;
      // A middleware that is gone ran before the endpoints below its directory.
      const directory = source.startsWith('middlewares/') ? '' : /^(.*\/)_middleware\.\w+$/.exec(source)?.[1];
      const isBehind = (one: Endpoint): boolean =>
        directory === '' ? one.group !== 'jobs' : sourceOf(project, one.file).startsWith(directory ?? '\0');
      now = now.map((one) => (isBehind(one) ? { ...one, before: [file, ...one.before] } : one));
    }
    const hadTools = [...this.#gone].some(({ group }) => group === 'tools');
    if (hadTools && !now.some(({ kind }) => kind === 'mcp'))
      this.#gone.add({ group: 'routes', kind: 'mcp', label: 'MCP /mcp', file: 'mcp/', before: [] });
    return [...now, ...this.#gone];
  }

  /** The units with a text that is, or ends in, one of the names of a file. */
  #spelling(names: readonly string[]): readonly string[] {
    const isName = (text: string): boolean =>
      names.some((name) => text === name || text.endsWith(`/${name}`));
    return [...this.graph.units].flatMap(([id, { strings }]) => ([...strings].some(isName) ? [id] : []));
  }

  /** The nodes that a changed file is, apart from the units of a module. */
  #seeds({ file, before, after, isWhole }: Change): readonly string[] {
    const { from, units } = this.graph;
    const source = sourceOf(this.project, file);
    switch (this.#kinds.get(file)) {
      case 'env':
        return changedVariables(before, after).flatMap((name) => [`env:${name}`, 'env:*']);
      case 'lock': {
        const packages = isWhole ? undefined : changedPackages(before, after);
        if (!packages) this.#count(`which packages ${file} changes isn't known`);
        if (packages?.some((name) => /^fwkit$|^@fwkit\//.test(name))) this.#count(`${file} changes fwk`);
        return (packages ?? []).map((name) => `package:${name}`);
      }
      case 'template': {
        const views = new Set([`view:${file.replace(/^views\/|\.[^./]*$/g, '')}`]);
        for (const one of views) for (const user of from.get(one)?.keys() ?? []) views.add(user);
        if (![...views].some((id) => units.has(id))) this.#count(`no view() names ${file}`);
        return [...views].slice(0, 1);
      }
      case 'data': {
        const imported = from.has(`data:${file}`) ? [`data:${file}`] : [];
        // The name may be computed, if code spells its directory: then code that spells that or the extension reads it.
        const named = this.#spelling([path.posix.basename(file)]);
        const directory = this.#spelling([path.posix.basename(path.posix.dirname(file))]);
        const isIn = ({ strings }: Unit): boolean =>
          [...strings].some((text) => text.endsWith(path.posix.extname(file)));
        const byExtension = [...units].flatMap(([id, unit]) => (isIn(unit) ? [id] : []));
        const readers = [
          ...imported,
          ...(named[0] || !directory[0] ? named : [...directory, ...byExtension]),
        ];
        if (readers.length === 0 || SETTINGS.test(file)) this.#count(`${file} may matter to all of the app`);
        return readers;
      }
      case 'module': {
        // The first and the last file of a directory, and of session values, change the app itself.
        const [directory = ''] = source.split('/');
        const key = { ws: 'rooms', queues: 'queues' }[directory];
        const isNew = before === undefined || after === undefined;
        const isAlone = !this.project.entries.some(
          (one) => one.file !== source && one.file.startsWith(`${directory}/`),
        );
        const isRead = [...units.values()].some(
          (one) => one.spells.has(key ?? '') || one.makingSpells.has(key ?? ''),
        );
        if (isNew && isAlone && isRead) this.#count(`ctx.${key} comes or goes with ${file}`);
        if (isNew && /^mcp\/auth\./.test(source)) this.#count(`with ${file}, who may use MCP changes`);
        const had = directory === 'di' && /['"`]session['"`]/.test(before ?? '');
        const has = directory === 'di' && /['"`]session['"`]/.test(after ?? '');
        if (had !== has) this.#count(`the app may have sessions only with ${file}`);
      }
    }
    return [];
  }

  #reached(): ReadonlyMap<Endpoint, Reason> {
    const found = new Map<Endpoint, Reason>();
    const note = (one: Endpoint, reason: Reason): unknown => found.has(one) || found.set(one, reason);
    for (const one of this.#gone) note(one, { why: one.file });
    const others = [...this.#came, ...this.#gone];
    for (const one of this.#endpoints) {
      const files = [one.file, ...one.before];
      const ids = files.flatMap((file) =>
        one.kind === 'health' ? this.#unitsOfHealth(file) : this.graph.rootsOf(file),
      );
      const reached = ids.filter(this.#spread.has);
      // Code explains more than data.
      const id = reached.find((own) => this.#spread.way(own).through === undefined) ?? reached[0];
      if (id !== undefined) note(one, this.#reasonOf(id));
      for (const other of others) {
        const isSame = one.method === other.method || one.method === 'ALL' || other.method === 'ALL';
        if (one.path !== undefined && isSame && other.path !== undefined && overlaps(one.path, other.path))
          note(one, { why: `may share URLs with ${other.label}, which came or went` });
        if (one.kind === 'mcp' && other.group === 'tools') note(one, { why: `leads to ${other.label}` });
      }
    }
    const described = [...found.keys()].find((one) => one.path !== undefined && this.#isDescribedAnew(one));
    const [why] = this.#everything;
    for (const one of this.#endpoints) {
      const isDocument = one.kind === 'openapi' && one.path?.endsWith('.json');
      if (described && isDocument) note(one, { why: `describes ${described.label}` });
      if (why !== undefined) note(one, { why });
    }
    return found;
  }

  /** A service, and its members that the health check may call. */
  #unitsOfHealth(file: string): readonly string[] {
    const { spells = [], makingSpells = [] } = this.graph.units.get(`${file}#default`) ?? {};
    return ['', ...[...spells, ...makingSpells].map((name) => `.${name}`)].map(
      (one) => `${file}#default${one}`,
    );
  }

  /** Whether what an endpoint says of itself may differ: it came or went, or its own file or its constants changed. */
  #isDescribedAnew(one: Endpoint): boolean {
    const { changed, to, units } = this.graph;
    for (const id of to.get(`${one.file}#default`)?.keys() ?? [])
      if (units.get(id)?.marks.has('value') && this.#spread.has(id)) return true;
    const prints = units.get(`${one.file}#default`)?.prints ?? [];
    const [then, now] = prints.map((text) => text.replace(/«[^»]*/g, ''));
    const isSecured = one.before.some((file) => changed.has(`${file}#security`));
    return this.#came.has(one) || this.#gone.has(one) || isSecured || then !== now;
  }

  /** `src/api/x.get.ts → ctx.ledger → src/lib/log.ts Log.write`, or `reads ctx.ledger, which POST /api/add changes`. */
  #reasonOf(id: string): Reason {
    const { ids, through, by = '' } = this.#spread.way(id);
    const way = [id.split('#')[0] ?? id, ...ids.slice(1).map((one) => this.#shown(one))];
    if (through === undefined) return { why: way.filter((one, index) => one !== way[index - 1]).join(' → ') };
    const writer = this.#endpoints.find(({ file }) => file === by.split('#')[0])?.label ?? this.#shown(by);
    return { why: `reads ${this.#shown(through)}, which ${writer} changes`, through: this.#shown(through) };
  }

  #shown(id: string): string {
    if (id === 'state:fs') return 'files';
    const plain = id.replace(/^(package|data|view):/, '').replace(/^state:global:/, 'globalThis.');
    const [file = '', unit = ''] = plain.replace(/^ctx:/, 'ctx.').replace(/^env:/, 'process.env.').split('#');
    const key = /^default([.:]|$)/.test(unit) ? this.graph.keyOfFile.get(file) : undefined;
    if (key !== undefined) return `ctx.${key}${/^default(\..*)/.exec(unit)?.[1] ?? ''}`;
    return `${file} ${unit.replace(/^>|^(default|init)$/, '')}`.trim();
  }

  #list(group: Group, reached: ReadonlyMap<Endpoint, Reason>): Reached[] {
    const found: Reached[] = [];
    const add = (one: Reached, isGone: boolean): unknown =>
      found.push({ ...one, ...(isGone ? { isGone } : {}) });
    for (const [one, reason] of reached)
      if (one.group === group)
        add({ label: one.label, file: one.file, kind: one.kind, ...reason }, this.#gone.has(one));
    for (const { file, after } of group === 'files' ? this.changes : []) {
      const label = `GET ${file.slice('public'.length).replace(/\/index\.html$/, '/')}`;
      if (this.#kinds.get(file) === 'public')
        add({ label, file, kind: 'public', why: file }, after === undefined);
    }
    return found.sort((a, b) => (`${a.label} ${a.file}` < `${b.label} ${b.file}` ? -1 : 1));
  }

  /** Tests match by what they import, and by the URLs and names that they spell. A test without any may ask for anything. */
  #isTestReached(file: string, reached: ReadonlyMap<Endpoint, unknown>): boolean {
    const { modules, units } = this.graph;
    const files = new Set([file]);
    for (const one of files)
      for (const to of modules.get(one)?.destinations.values() ?? [])
        if (isTestFile(to.slice('file:'.length))) files.add(to.slice('file:'.length));
    const texts = new Set<string>();
    for (const [id, { strings }] of units) {
      if (!files.has(id.split('#')[0] ?? '')) continue;
      if (this.#spread.has(id)) return true;
      for (const text of strings) texts.add(text.replace(/^([A-Z]+ )?(\w+:\/\/[^/]*)?|[?#].*$/g, ''));
    }
    const urls = [...texts].filter((text) => /^\/\S*$/.test(text));
    const asked = this.#endpoints.filter(
      ({ name, path: url }) =>
        texts.has(name ?? '\0') || (url && urls.some((text) => overlaps(text, url, true))),
    );
    const imports = [...files].flatMap((one) => [...(modules.get(one)?.facts.specifiers ?? [])]);
    if (asked.length > 0) return asked.some((one) => reached.has(one));
    return reached.size > 0 && imports.some((one) => /^fwkit|^node:(http|child)|playwright|fetch/.test(one));
  }

  #partsOf(file: string): readonly string[] {
    const ids = [...this.graph.changed].filter((id) => id.startsWith(`${file}#`));
    return ids.map((id) => id.slice(file.length + 1).replace(/^default[.:]|^>/, '')).sort();
  }
}

const TEST_NAME = /[./_-](test|spec)\.\w+$/;

/** A file relative to the source directory, as the framework has it. */
const sourceOf = ({ root, source }: Project, file: string): string =>
  path.relative(source, path.join(root, file)).split(path.sep).join('/');
