import type { BaseRoute, Project } from 'fwkit/plugin';
import type { Graph } from '../graph/index.js';
import { spreadsOf } from './both-spreads.js';
import { bothEndpoints, type Endpoints, neighbours, unguarded } from './came-and-went.js';
import { changedUnits } from './changed-units.js';
import type { Wanted } from './changes.js';
import { Composer } from './compose.js';
import { describing } from './described.js';
import { type Endpoint, endpointsOf } from './endpoints.js';
import { changedPackages, reachedBeginnings } from './everything.js';
import { type FileKind, kindOf } from './file-kinds.js';
import { sessionsComeOrGo, valuesComeOrGo } from './first-and-last.js';
import type { Impact } from './impact.js';
import { linkedPackages } from './linked-packages.js';
import { problemsIn } from './problems.js';
import { reachedEndpoints } from './reached.js';
import { readinessOf } from './readiness.js';
import { renderingUnits } from './seeds.js';
import { sharedData } from './shared-data.js';
import type { Spread } from './spread.js';
import { affectedViews, readTemplates, type Templates } from './templates.js';
import { reachedTests, testFiles } from './tests.js';
import { unreached } from './unreached.js';
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
  const templates = new Templated(
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
class Templated {
  readonly views: ReadonlySet<string>;
  readonly #templates: Templates;

  constructor(
    root: string,
    private readonly changes: readonly SourceChange[],
  ) {
    const found = changes.length === 0 ? new Map<string, string>() : readTemplates(root);
    // What a template brought in before the change counts as well.
    for (const { file, before } of changes) {
      const name = file.slice('views/'.length);
      if (before !== undefined) found.set(name, `${found.get(name) ?? ''}\n${before}`);
    }
    this.#templates = found;
    this.views = changes.length === 0 ? new Set() : affectedViews(found, this.#names());
  }

  /** A sentence for each that nothing renders by its name. */
  unnamed(graphs: readonly Graph[]): string[] {
    return this.changes
      .filter(({ file }) => {
        const views = affectedViews(this.#templates, [file.slice('views/'.length)]);
        return !graphs.some((graph) => renderingUnits(graph, views).length > 0);
      })
      .map(
        ({ file }) => `Everything is reached: no view() names ${file}, so it is not known who renders it.`,
      );
  }

  #names(): string[] {
    return this.changes.map(({ file }) => file.slice('views/'.length));
  }
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
