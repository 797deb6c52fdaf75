import type { BaseRoute, Project, ProviderInfo } from 'fwkit/plugin';
import { idOf, type UnitId } from '../facts/facts.js';
import type { Graph } from '../graph/graph.js';
import { readTemplates, Templates, withoutExtension } from '../graph/templates.js';
import type { Wanted } from './changes.js';
import { Composer, type Impact } from './compose.js';
import { bothEndpoints, type Endpoints, neighbours, unguarded } from './endpoint-changes.js';
import { type Endpoint, endpointsOf } from './endpoints.js';
import { changedPackages, reachedBeginnings, sessionsComeOrGo, valuesComeOrGo } from './everything.js';
import { type FileKind, kindOf } from './file-kinds.js';
import { linkedPackages } from './packages.js';
import { describing, reachedEndpoints, readinessOf, unreached } from './reached-endpoints.js';
import { SessionSpread, SessionValues, SessionWrites, unitsIn } from './sessions.js';
import { sharedData } from './shared-data.js';
import { type ChangedUnits, changedUnits, Spread, type Versions } from './spread.js';
import { reachedTests, testFiles } from './tests.js';
import { type BothVersions, Places, readVersions, type SourceChange } from './versions.js';

/** A project as far as it can be resolved. */
export interface Resolution {
  readonly project: Project;
  readonly routes: readonly BaseRoute[];
  /** What keeps it from booting: a line each. */
  readonly problems: readonly string[];
  /** Names in `dependencies` of its package.json. */
  readonly dependencies: readonly string[];
}

/** Find what a change reaches. */
export async function findImpact(resolution: Resolution, wanted: Wanted): Promise<Impact> {
  const { project, routes } = resolution;
  const places = new Places(project);
  const changes = wanted.changes.map((change) => ({ ...change, source: places.fromRoot(change.file) }));
  const versions = await readVersions(project, changes);
  const graphs = [versions.after, versions.before];
  const kinds = kindsOf(changes, graphs);
  const templates = await changedTemplates(
    project.root,
    changes.filter((change) => kinds.get(change) === 'template'),
  );
  const packages = packagesOf(resolution, changes, kinds, graphs);
  const whole = wholeFiles(changes);
  const changed = changedUnits(versions, whole);
  const listed = endpointsOf(routes, project);
  const served = [...listed, ...readinessOf(project, versions, listed)];
  const endpoints = bothEndpoints(served, unservedIn(resolution, versions), changes);
  const spreads = spreadsOf(versions, endpoints, {
    changes,
    units: changed,
    edited: new Set(changes.map(({ source }) => source)),
    whole,
    views: templates.views,
    packages: packages.packages,
  });
  const [spread] = spreads;
  const isKnown = (file: string): boolean => versions.claimed.has(file) || versions.tests.includes(file);
  const composer = new Composer(project, endpoints, wanted);
  const sentences = [
    ...changes
      .filter((change) => kinds.get(change) === 'whole')
      .map(({ file }) => `Everything is reached: ${file} may matter to all of the app.`),
    ...packages.everything,
    ...sessionsComeOrGo(changes, versions.providers),
    ...valuesComeOrGo(changes, project, graphs),
    ...templates.unnamed(graphs),
    ...new Set(
      spreads.flatMap((one, index) => reachedBeginnings(project, graphs[index] as Graph, one, isKnown)),
    ),
  ];
  const isEverything = sentences.length > 0;
  composer.changed(changes, kinds, changed);
  composer.add(neighbours(endpoints));
  composer.add(unguarded(endpoints.now, changes, (file) => project.display(file)));
  for (const one of spreads)
    composer.spread(reachedEndpoints(project, one, [...endpoints.now, ...endpoints.gone]), one);
  composer.add(describing(endpoints, versions, spreads, whole));
  if (isEverything) composer.everything(sentences);
  else composer.unreached(unreached(changes, changed, versions, [...endpoints.now, ...endpoints.gone]));
  const shared = isEverything ? new Map() : sharedOf(versions, spread, endpoints, composer.reached);
  composer.shared(shared);
  for (const change of changes) if (kinds.get(change) === 'public') composer.publicFile(change);
  const question = {
    graph: versions.after,
    modules: versions.tests,
    spread,
    endpoints: [...endpoints.now, ...endpoints.gone],
  };
  const all = testFiles(question);
  const everyTest = isEverything || changes.some((change) => kinds.get(change) === 'tests');
  composer.tests(
    everyTest
      ? all
      : reachedTests({ ...question, reached: composer.reached, isAnything: composer.isAnything }),
    all.length,
  );
  composer.blind(spread, versions.after);
  return composer.impact(problemsIn(resolution.problems, versions.after, changes));
}

function kindsOf(changes: readonly SourceChange[], graphs: readonly Graph[]): Map<SourceChange, FileKind> {
  const isMentioned = (name: string): boolean => {
    const inText = new RegExp(`['"\`/]${name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}['"\`/]`);
    return graphs.some((graph) => [...graph.modules.values()].some(({ text }) => inText.test(text)));
  };
  return new Map(
    changes.map((change) => {
      const isKnown = graphs.some((graph) => graph.modules.has(change.source));
      const kind = isKnown ? 'module' : kindOf(change.file, isMentioned);
      // Beside the project lies much that is none of it.
      return [change, kind === 'module' && !isKnown ? 'none' : kind];
    }),
  );
}

const wholeFiles = (changes: readonly SourceChange[]): Set<string> =>
  new Set(changes.filter(({ isWhole }) => isWhole).map(({ source }) => source));

function packagesOf(
  { project, dependencies }: Resolution,
  changes: readonly SourceChange[],
  kinds: ReadonlyMap<SourceChange, FileKind>,
  graphs: readonly Graph[],
) {
  const locks = changes.filter((change) => kinds.get(change) === 'lock');
  const found = changedPackages(locks, graphs, dependencies);
  const outside = changes.filter(({ file }) => file.startsWith('../')).map(({ file }) => file);
  const linked = graphs.slice(0, 1).flatMap((graph) => linkedPackages(graph, project.root, outside));
  return { packages: new Set([...found.packages, ...linked]), everything: found.everything };
}

/** Templates that changed, and the views that lead to them. */
class ChangedTemplates {
  readonly views: ReadonlySet<string>;

  constructor(
    private readonly templates: Templates,
    private readonly changes: readonly SourceChange[],
  ) {
    this.views = templates.rendering(changes.map(nameBelowViews));
  }

  /** A sentence for each that nothing renders by its name. */
  unnamed(graphs: readonly Graph[]): string[] {
    return this.changes
      .filter((change) => {
        const views = this.templates.rendering([nameBelowViews(change)]);
        return !graphs.some((graph) => renderingUnits(graph, views).length > 0);
      })
      .map(
        ({ file }) => `Everything is reached: no view() names ${file}, so it is not known who renders it.`,
      );
  }
}

const nameBelowViews = ({ file }: SourceChange): string => file.slice('views/'.length);

async function changedTemplates(root: string, changes: readonly SourceChange[]): Promise<ChangedTemplates> {
  const texts = changes.length === 0 ? new Map<string, string>() : await readTemplates(root);
  // The includes that a template had before the change count as well.
  for (const change of changes) {
    const name = nameBelowViews(change);
    if (change.before !== undefined) texts.set(name, `${texts.get(name) ?? ''}\n${change.before}`);
  }
  return new ChangedTemplates(new Templates(texts), changes);
}

/** Claimed modules that no route is made of, since something keeps the project from being imported. */
function unservedIn({ project, routes, problems }: Resolution, { after }: BothVersions) {
  if (problems.length === 0) return [];
  const served = new Set(
    routes.flatMap(({ file, members = [] }) => [file, ...members.map((one) => one.file)]),
  );
  return project.entries
    .filter(({ file }) => !served.has(file))
    .map(({ file }) => ({ file, text: after.modules.get(file)?.text ?? '' }));
}

function sharedOf(
  { after, providers }: BothVersions,
  spread: Spread,
  endpoints: Endpoints,
  reached: ReadonlySet<Endpoint>,
) {
  const others = endpoints.now.filter((endpoint) => !reached.has(endpoint));
  return sharedData(after, providers, spread, reached, others);
}

/** What keeps the project from booting, but for what is said of a changed file already. */
function problemsIn(problems: readonly string[], after: Graph, changes: readonly SourceChange[]): string[] {
  const told: string[] = [];
  let others = problems;
  for (const { file, source } of changes) {
    const error = after.modules.get(source)?.error;
    if (!error) continue;
    told.push(`${file}:${error.line} does not parse: ${error.message}. What used it before is reached.`);
    others = others.filter((problem) => !problem.startsWith(`${file} `));
  }
  return [...told, ...others];
}

/** What a change is, as far as it is known before it spreads. */
interface Beginnings {
  readonly changes: readonly SourceChange[];
  readonly units: ChangedUnits;
  /** Files whose text is another. */
  readonly edited: ReadonlySet<string>;
  /** Those of them that count as changed whatever they say. */
  readonly whole: ReadonlySet<string>;
  /** Views that lead to templates that changed, and packages of another version. */
  readonly views: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
}

/** How far a change goes in the version after it, and in the one before where that is another. */
function spreadsOf(
  versions: Versions & { readonly providers: readonly ProviderInfo[] },
  endpoints: Endpoints,
  { changes, units, edited, whole, views, packages }: Beginnings,
): readonly [after: Spread, ...before: Spread[]] {
  const writesIn = (graph: Graph): SessionWrites =>
    new SessionWrites(graph, new SessionValues(graph, versions.providers));
  const after = writesIn(versions.after);
  const isOne = versions.before === versions.after;
  const before = isOne ? after : writesIn(versions.before);
  const spreadIn = (version: 'before' | 'after', own: SessionWrites, other: SessionWrites): Spread => {
    const graph = versions[version];
    const changed = units[version];
    const withPackages = unitsWithPackages(graph, packages);
    const seeds = new Set<UnitId>([...changed, ...renderingUnits(graph, views), ...withPackages]);
    const otherwise = new Set([...unitsIn(changed, whole), ...withPackages]);
    const asked = version === 'after' ? endpoints.now : guarded(endpoints.before, changes);
    return new Spread(
      graph,
      seeds,
      edited,
      new SessionSpread(graph, own, other, { changed, otherwise }, asked),
    );
  };
  const now = spreadIn('after', after, before);
  return isOne ? [now] : [now, spreadIn('before', before, after)];
}

/** Endpoints with the middlewares around them that are gone. */
function guarded(endpoints: readonly Endpoint[], changes: readonly SourceChange[]): readonly Endpoint[] {
  const gone = changes.map(
    (change) => [change.source, unguarded(endpoints, [change], (file) => file)] as const,
  );
  return endpoints.map((endpoint) => {
    const before = gone.filter(([, passed]) => passed.has(endpoint)).map(([file]) => file);
    return before.length === 0 ? endpoint : { ...endpoint, chain: [...before, ...endpoint.chain] };
  });
}

/** The units for which `holds`. */
function unitsWhere(graph: Graph, holds: (id: UnitId, views: ReadonlySet<string>) => boolean): UnitId[] {
  const found: UnitId[] = [];
  for (const { file, units } of graph.modules.values())
    for (const { name, views } of units.values())
      if (holds(idOf(file, name), views)) found.push(idOf(file, name));
  return found;
}

/** The units that render one of the views, or any. */
const renderingUnits = (graph: Graph, views: ReadonlySet<string>): UnitId[] =>
  views.size === 0
    ? []
    : unitsWhere(graph, (_id, own) =>
        [...own].some((one) => one === '*' || views.has(one) || views.has(withoutExtension(one))),
      );

/** The units that mention one of the packages. */
const unitsWithPackages = (graph: Graph, packages: ReadonlySet<string>): UnitId[] =>
  packages.size === 0
    ? []
    : unitsWhere(graph, (id) => [...graph.leavesOf([id]).packages].some((one) => packages.has(one)));
