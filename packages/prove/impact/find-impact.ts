import path from 'node:path';
import { readinessPathOf } from 'fwkit/http';
import { type CommandRun, ctxKeyOf, type Project, providersOf, type Resolved } from 'fwkit/plugin';
import { type Endpoint, endpointsOf, formerEndpoint, type Group, overlaps } from '../graph/endpoints.js';
import type { Lost } from '../graph/facts.js';
import { Graph } from '../graph/graph.js';
import { isTestFile, providersIn, readModules } from '../graph/modules.js';
import { redirected, withProject } from '../report/command-output.js';
import { counted } from '../report/outcome.js';
import { type Change, ChangedFiles, type Changes, findChanges, notKnown, sourceOf } from './changes.js';
import { Spread } from './spread.js';

/** An endpoint that a change reaches: its responses may differ. */
export interface Reached extends Pick<Endpoint, 'label' | 'file' | 'kind'> {
  readonly why: string;
  /** The data that carries the change: `ctx.ledger`, `src/lib/bus.ts heard`, `files`. */
  readonly through?: string;
  readonly isGone?: true;
}
type Reason = Pick<Reached, 'why' | 'through' | 'isGone'>;

/** The output of `fwk impact --json`. All files are relative to the root. */
export interface Impact extends Readonly<Record<Group, readonly Reached[]>> {
  readonly version: 2;
  /** The ref to compare with, and the commit where the change began. */
  readonly since: string | undefined;
  readonly base: string | undefined;
  /** The changed files, each with the declarations and members that differ. */
  readonly changed: readonly { readonly file: string; readonly parts: readonly string[] }[];
  /** The reasons why the change reaches everything, as sentences. */
  readonly everything: readonly string[];
  readonly tests: readonly string[];
  /** Everything counts as reached from there. */
  readonly unknown: readonly Lost[];
  readonly total: Readonly<Record<'endpoints' | 'tests', number>>;
}

export const GROUPS: readonly Group[] = ['routes', 'pages', 'sockets', 'tools', 'jobs', 'files'];
export const reachedOf = (impact: Impact): readonly Reached[] => GROUPS.flatMap((group) => impact[group]);

export async function findImpact(
  { project, routes }: Pick<Resolved, 'project' | 'routes'>,
  { changes, since, base }: Changes & { readonly since: string | undefined },
): Promise<Impact> {
  const former = changes.flatMap(({ file, after }) => {
    const source = sourceOf(project, file);
    const isGone = after === undefined && /^(services|di)\//.test(source);
    return isGone ? { key: ctxKeyOf(source), file, lifetime: 'singleton' } : [];
  });
  const textBefore = (one: Change) => (one.isWhole && one.after !== undefined ? undefined : one.before);
  const before = new Map(changes.map((one) => [one.file, textBefore(one)]));
  const providers = [...providersIn(project), ...former];
  const graph = new Graph(await readModules(project, providers, before, true));
  return { version: 2, since, base, ...new Finder(project, routes, changes, graph).impact() };
}

class Finder {
  readonly #gone = new Set<Endpoint>();
  readonly #came = new Set<Endpoint>();
  readonly #files: ChangedFiles;
  readonly #endpoints: readonly Endpoint[];
  /** The label of an endpoint in each file. */
  readonly #labels: ReadonlyMap<string, string>;
  readonly #spread: Spread;

  constructor(
    private readonly project: Project,
    routes: Resolved['routes'],
    private readonly changes: readonly Change[],
    private readonly graph: Graph,
  ) {
    this.#endpoints = this.#bothVersions(endpointsOf(project, routes));
    this.#labels = new Map(this.#endpoints.map(({ file, label }) => [file, label]));
    this.#files = new ChangedFiles(project, graph, changes);
    this.#spread = new Spread(graph, this.#endpoints, [...graph.changed, ...this.#files.seeds]);
    if (this.#spread.isEverything) this.#files.count('an object of the language changes');
    for (const file of this.#files.startFiles())
      if (graph.rootsOf(file).some(this.#spread.has)) this.#files.count(`the app starts with ${file}`);
  }

  impact(): Omit<Impact, 'version' | 'since' | 'base'> {
    const reached = this.#reached();
    const { everything, kinds } = this.#files;
    const { modules, units, changed } = this.graph;
    const sorted = [...reached].sort(([a], [b]) =>
      `${a.label} ${a.file}` < `${b.label} ${b.file}` ? -1 : 1,
    );
    const list = (group: Group): readonly Reached[] =>
      sorted.flatMap(([{ label, file, kind, ...one }, why]) =>
        one.group === group ? { label, file, kind, ...why } : [],
      );
    const tests = [...modules.keys()].filter((file) => isTestFile(file) && TEST_NAME.test(file));
    const isAll = everything.length > 0 || [...kinds.values()].includes('tests');
    const lost = [...this.#spread.reached.keys()].flatMap((id) => units.get(id)?.lost ?? []);
    const partsOf = (file: string): readonly string[] =>
      [...changed]
        .flatMap((id) => (id.startsWith(`${file}#`) && !id.includes('#+') ? id.slice(file.length + 1) : []))
        .map((name) => name.replace(/^default[.:]|^>/, ''))
        .sort();
    return {
      changed: this.changes.map(({ file }) => ({ file, parts: partsOf(file) })),
      everything,
      ...(Object.fromEntries(GROUPS.map((one) => [one, list(one)])) as Record<Group, readonly Reached[]>),
      tests: tests.filter((file) => isAll || this.#isTestReached(file, reached)),
      unknown: [...new Map(lost.map((one) => [`${one.file}:${one.line}`, one])).values()],
      total: { endpoints: this.#endpoints.length - this.#gone.size, tests: tests.length },
    };
  }

  /** The endpoints of the project before and after the change. */
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
      // A deleted middleware ran before the endpoints below its directory.
      const directory = source.startsWith('middlewares/') ? '' : /^(.*\/)_middleware\.\w+$/.exec(source)?.[1];
      const isBehind = (one: Endpoint): boolean =>
        directory === '' ? one.group !== 'jobs' : sourceOf(project, one.file).startsWith(directory ?? '\0');
      if (after === undefined)
        now = now.map((one) => (isBehind(one) ? { ...one, before: [file, ...one.before] } : one));
    }
    const hadTools = [...this.#gone].some(({ group }) => group === 'tools');
    if (hadTools && !now.some(({ kind }) => kind === 'mcp'))
      this.#gone.add({ group: 'routes', kind: 'mcp', label: 'MCP /mcp', file: 'mcp/', before: [] });
    return [...now, ...this.#gone];
  }

  #reached(): ReadonlyMap<Endpoint, Reason> {
    const found = new Map<Endpoint, Reason>();
    const note = (one: Endpoint, reason: Reason): unknown => found.has(one) || found.set(one, reason);
    for (const { file, after } of this.changes) {
      if (this.#files.kinds.get(file) !== 'public') continue;
      const label = `GET ${file.slice('public'.length).replace(/\/index\.html$/, '/')}`;
      const isGone = after === undefined ? { isGone: true as const } : {};
      note({ group: 'files', label, file, kind: 'public', before: [] }, { why: file, ...isGone });
    }
    for (const one of this.#gone) note(one, { why: one.file, isGone: true });
    for (const one of this.#endpoints) {
      const ids = [one.file, ...one.before].flatMap((file) =>
        one.kind === 'health'
          ? this.graph.valueOf(this.graph.keyOfFile.get(file) ?? '', '*')
          : this.graph.rootsOf(file),
      );
      const reached = ids.filter(this.#spread.has);
      // A change of code is a better explanation than a change of data.
      const id = reached.find((own) => this.#spread.way(own).through === undefined) ?? reached[0];
      if (id !== undefined) note(one, this.#reasonOf(id));
      for (const other of [...this.#came, ...this.#gone]) {
        const isSame = one.method === other.method || [one.method, other.method].includes('ALL');
        if (one.path !== undefined && isSame && other.path !== undefined && overlaps(one.path, other.path))
          note(one, { why: `may share URLs with ${other.label}, which came or went` });
        if (one.kind === 'mcp' && other.group === 'tools') note(one, { why: `leads to ${other.label}` });
      }
    }
    // A change of code can change the description of an endpoint.
    const described = [...found].find(
      ([one, { through }]) => one.path !== undefined && through === undefined,
    )?.[0];
    const [why] = this.#files.everything;
    for (const one of this.#endpoints) {
      const isDocument = one.kind === 'openapi' && one.path?.endsWith('.json');
      if (described && isDocument) note(one, { why: `describes ${described.label}` });
      if (why !== undefined) note(one, { why });
    }
    return found;
  }

  /** `src/api/x.get.ts → ctx.ledger → src/lib/log.ts Log.write`, or `reads ctx.ledger, which POST /api/add changes`. */
  #reasonOf(id: string): Reason {
    const { ids, through, by = '' } = this.#spread.way(id);
    const way = [id.split('#')[0] ?? id, ...ids.slice(1).map((one) => this.#shown(one))];
    if (through === undefined) return { why: way.filter((one, index) => one !== way[index - 1]).join(' → ') };
    const writer = this.#labels.get(by.split('#')[0] ?? '') ?? this.#shown(by);
    return { why: `reads ${this.#shown(through)}, which ${writer} changes`, through: this.#shown(through) };
  }

  #shown(id: string): string {
    if (id === 'state:fs') return 'files';
    const plain = id.replace(/^(package|data|view):/, '').replace(/^state:global:/, 'globalThis.');
    const [file = '', unit = ''] = plain.replace(/^ctx:/, 'ctx.').replace(/^env:/, 'process.env.').split('#');
    const key = /^default([.:]|$)/.test(unit) ? this.graph.keyOfFile.get(file) : undefined;
    if (key !== undefined) return `ctx.${key}${/^default(\..*)/.exec(unit)?.[1] ?? ''}`;
    return `${file} ${unit.replace(/^>|^(default|init|\+.*)$/, '')}`.trim();
  }

  /** Tests match by the modules that they import, and by the URLs and names that they spell. */
  #isTestReached(file: string, reached: ReadonlyMap<Endpoint, unknown>): boolean {
    const { modules, units } = this.graph;
    const files = new Set([file]);
    for (const one of files)
      for (const to of modules.get(one)?.destinations.values() ?? [])
        if (isTestFile(to.slice('file:'.length))) files.add(to.slice('file:'.length));
    const own = [...units].filter(([id]) => files.has(id.split('#')[0] ?? ''));
    if (own.some(([id]) => this.#spread.has(id))) return true;
    const texts = own.flatMap(([, { strings }]) =>
      [...strings].map((text) => text.replace(/^([A-Z]+ )?(\w+:\/\/[^/]*)?|[?#].*$/g, '')),
    );
    const asked = this.#endpoints.filter(
      ({ name = '\0', path: url }) =>
        texts.includes(name) ||
        (url && texts.some((text) => /^\/\S*$/.test(text) && overlaps(text, url, true))),
    );
    if (asked.length > 0) return asked.some((one) => reached.has(one));
    // A test that spells no URL may send any request.
    const imports = [...files].flatMap((one) => [...(modules.get(one)?.facts.specifiers ?? [])]);
    return reached.size > 0 && imports.some((one) => /^fwkit|^node:(http|child)|playwright|fetch/.test(one));
  }
}

const TEST_NAME = /[./_-](test|spec)\.\w+$/;

/** `fwk impact`. The exit code is 2 if the command fails. */
export async function run(command: CommandRun): Promise<void> {
  process.exitCode = 2;
  const { flags, operands } = command;
  const { root } = command.paths();
  const impact = await redirected(flags.json === true || flags.tests === true, async () => {
    const since = typeof flags.since === 'string' ? flags.since : undefined;
    if (since === undefined && operands.length === 0)
      throw notKnown('Name the files that changed, or say --since <ref>, such as --since main.');
    const changes = await findChanges(root, { files: operands, since });
    return withProject(command, (resolved) => findImpact(resolved, { ...changes, since }));
  });
  process.exitCode = 0;
  if (flags.json === true) console.log(JSON.stringify(impact, null, 2));
  else if (flags.tests === true)
    for (const file of impact.tests) console.log(path.relative('.', path.join(root, file)));
  else for (const line of terminalLines(impact)) console.log(line);
}

function terminalLines(impact: Impact): readonly string[] {
  const { changed, total, tests, unknown } = impact;
  const lines = [...impact.everything];
  const section = (title: string, list: readonly string[]): void => {
    if (list.length > 0) lines.push('', `${title} (${list.length})`, ...list.map((one) => `  ${one}`));
  };
  const isData = ({ through }: Reached): boolean => through !== undefined;
  for (const group of GROUPS)
    section(group[0]?.toUpperCase() + group.slice(1), aligned(impact[group].filter((one) => !isData(one))));
  section('Through data', aligned(reachedOf(impact).filter(isData)));
  section('Tests', tests);
  const places = unknown.map(({ file, line, why }) => `${file}:${line}  ${why}`);
  section('Cannot be followed, so everything counts as reached there', places);
  const reached = reachedOf(impact).filter(({ kind, isGone }) => kind !== 'public' && !isGone).length;
  const counts = `${reached} of ${total.endpoints} endpoints reached, ${tests.length} of ${total.tests} test files`;
  lines.push('', `${counted(changed.length, 'changed file')}: ${counts}`);
  return lines[0] === '' ? lines.slice(1) : lines;
}

function aligned(list: readonly Reached[]): string[] {
  const width = Math.min(Math.max(0, ...list.map(({ label }) => label.length)), 60);
  return list.map((one) => `${one.label.padEnd(width)}  ${one.isGone ? `gone  ${one.file}` : one.why}`);
}
