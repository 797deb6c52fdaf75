import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, providersOf, type Resolved } from 'fwkit/plugin';
import { isAny, type UnitId } from '../facts/facts.js';
import { ALL, MADE } from '../facts/flow.js';
import type { Graph } from '../graph/graph.js';
import type { Leaves } from '../graph/links.js';
import { readGraph } from '../graph/read-graph.js';
import { readTemplates, Templates } from '../graph/templates.js';
import { type Broken, brokenBy, nearestFirst } from './may.js';
import { type Reachable, reachables } from './reachable.js';

/** What is known of the reach of a project's routes. */
export interface Survey {
  readonly graph: Graph;
  readonly reachables: readonly Reachable[];
  readonly describer: Describer;
  /** What routes reach beyond their `may`, and mistakes in it. */
  readonly broken: readonly Broken[];
}

/** Read the modules of a resolved project, and see what its routes reach. */
export async function survey({ project, routes }: Pick<Resolved, 'project' | 'routes'>): Promise<Survey> {
  const [graph, texts, packages] = await Promise.all([
    readGraph({
      root: project.root,
      source: project.source,
      entries: project.entries,
      providers: providersOf(project),
      resolveImport: (...asked) => project.resolveImport(...asked),
    }),
    readTemplates(project.root),
    packagesOf(project.root),
  ]);
  const display = (file: string): string => project.display(file);
  const all = reachables(routes, project);
  return {
    graph,
    reachables: all,
    describer: new Describer(graph, new Templates(texts), display),
    broken: brokenBy(all, graph, packages, display),
  };
}

/** The packages that the package.json of a project names. */
async function packagesOf(root: string): Promise<readonly string[]> {
  const text = await readFile(join(root, 'package.json'), 'utf8').catch(() => '{}');
  const given: unknown = JSON.parse(text);
  if (!isObject(given)) return [];
  const lists = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'].map(
    (key) => given[key],
  );
  return lists.flatMap((list) => (isObject(list) ? Object.keys(list) : []));
}

/** What `fwk reach --json` prints. */
export interface Answer {
  readonly version: 1;
  readonly routes: readonly Reach[];
  /** What these routes reach beyond their `may`, and mistakes in it. */
  readonly excess: readonly Broken[];
}

/** What is known of the routes that words mean, of all for none. A text says that no route is meant. */
export function answer({ reachables, describer, broken }: Survey, asked: string): Answer | string {
  const chosen = asked === '' ? reachables : selected(reachables, asked);
  if (asked !== '' && chosen.length === 0) return noSuchRoute(reachables, asked);
  const labels = new Set(chosen.map(({ label }) => label));
  return {
    version: 1,
    routes: chosen.map((one) => describer.reach(one)),
    excess: broken.filter(({ label }) => labels.has(label)),
  };
}

/** The routes that words of a person mean: `GET /api/users`, a path, a file or a part of one of them. */
function selected(all: readonly Reachable[], asked: string): readonly Reachable[] {
  const words = asked
    .trim()
    .toLowerCase()
    .replace(/^src\//, '');
  const exact = all.filter(({ label, file }) =>
    [label, pathOf(label), file].some((one) => one.toLowerCase() === words),
  );
  if (exact.length > 0) return exact;
  return all.filter(({ label, file }) => `${label}\n${file}`.toLowerCase().includes(words));
}

/** Says that there is no such route, and which are most like it. */
function noSuchRoute(all: readonly Reachable[], asked: string): string {
  const names = all.map(({ label }) => (asked.includes(' ') ? label : pathOf(label)));
  const near = nearestFirst(names, asked).slice(0, 3);
  if (near.length === 0) return `there is no route ${asked}: the project has none.`;
  return `there is no route ${asked}. The nearest: ${near.join(', ')}.`;
}

const pathOf = (label: string): string => label.slice(label.indexOf(' ') + 1);

/** What code reaches outside of the project's modules, by name and sorted. */
export interface Outside {
  /** Names of environment variables; `*` for any. */
  readonly env: readonly string[];
  readonly packages: readonly string[];
  /** Node's modules: `node:fs`. */
  readonly node: readonly string[];
  /** Globals that lead to the network: `fetch`. */
  readonly net: readonly string[];
  /** Templates, with those that they include. */
  readonly templates: readonly string[];
}

/** A value of `ctx`, and what its own code reaches. */
export interface Service extends Outside {
  readonly key: string;
  /** Relative to the root; absent for what fwk itself provides. */
  readonly file?: string;
  /** Other values of `ctx` that its code uses. */
  readonly ctx: readonly string[];
}

/** Where `ctx`, or the code, goes on where it cannot be followed: everything counts as reached. */
interface Lost {
  /** Relative to the root. */
  readonly file: string;
  readonly line: number;
  readonly why: string;
}

/** What a route reaches: by itself, by its middlewares, and by all that they call. */
export interface Reach extends Outside {
  readonly route: string;
  /** Relative to the root. */
  readonly file: string;
  /** Middlewares before it, relative to the root. */
  readonly chain: readonly string[];
  /** Every value of `ctx` that is used on the way, whoever uses it. */
  readonly ctx: readonly string[];
  readonly services: readonly Service[];
  readonly lost: readonly Lost[];
}

/** Tells what routes reach, each service once. */
class Describer {
  readonly #services = new Map<string, Service>();

  constructor(
    private readonly graph: Graph,
    private readonly templates: Templates,
    private readonly display: (file: string) => string,
  ) {}

  /** What a route reaches. */
  reach({ label, file, before }: Reachable): Reach {
    const { units, touched } = this.graph.reach([file, ...before]);
    const leaves = this.graph.leavesOf(units);
    const ctx = [...touched].filter((key) => this.#isKey(key)).sort();
    return {
      route: label,
      file: this.display(file),
      chain: before.map(this.display),
      ctx,
      services: ctx.map((key) => this.service(key)),
      ...this.#outside(leaves),
      lost: distinct(leaves.blind.map(({ file: at, line, why }) => ({ file: this.display(at), line, why }))),
    };
  }

  /** What the code of a value of `ctx` reaches, without that of others that it uses. */
  service(key: string): Service {
    const known = this.#services.get(key);
    if (known) return known;
    const units = new Set<UnitId>(this.graph.behind(key));
    const used = new Set<string>();
    for (const id of units) {
      for (const next of this.graph.mentions(id)) if (!isAny(next)) units.add(next);
      for (const read of this.graph.reads(id))
        if (read.key === ALL) for (const one of this.graph.providers.keys()) used.add(one);
        else if (read.member !== MADE && this.#isKey(read.key)) used.add(read.key);
    }
    const file = this.graph.providers.get(key);
    const service: Service = {
      key,
      ...(file === undefined ? {} : { file: this.display(file) }),
      ctx: [...used].filter((one) => one !== key).sort(),
      ...this.#outside(this.graph.leavesOf(units)),
    };
    this.#services.set(key, service);
    return service;
  }

  #isKey(key: string): boolean {
    return key === 'logger' || this.graph.providers.has(key);
  }

  #outside({ env, packages, builtins, net, views }: Leaves): Outside {
    return {
      env: [...env].sort(),
      packages: [...packages].sort(),
      node: [...builtins].sort(),
      net: [...net].sort(),
      templates: views.size > 0 ? this.templates.reached(views) : [],
    };
  }
}

/** Sorted by place, each once. */
function distinct(lost: readonly Lost[]): readonly Lost[] {
  const byPlace = new Map(lost.map((one) => [`${one.file} ${String(one.line).padStart(6)} ${one.why}`, one]));
  return [...byPlace].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}
