import type { Graph } from '../graph/graph.js';

/** A node on the path from a route to everything that it reaches. `isCovered`: the path contains a value of `ctx`. */
export interface Step {
  readonly id: string;
  readonly by: Step | undefined;
  readonly isCovered: boolean;
}

/** Finds all nodes that are reachable, by the shortest paths. `enters`: whether a path continues after a value of `ctx`. */
export function walk(
  graph: Graph,
  from: readonly string[],
  enters: (key: string, step: Step) => boolean = () => true,
): readonly Step[] {
  const steps = new Map<string, Step>();
  const add = (id: string, by?: Step): void => {
    const key = keyOf(graph, id);
    const isEntered = key !== undefined && (!by || keyOf(graph, by.id) !== key);
    const isCovered = isEntered || by?.isCovered === true;
    const isKnown = steps.has(id + isCovered);
    if (!isKnown && (!isEntered || enters(key, { id, by, isCovered })))
      steps.set(id + isCovered, { id, by, isCovered });
  };
  for (const id of from) add(id);
  for (const step of steps.values()) {
    for (const to of graph.loadedBy(step.id.split('#')[0] ?? '')) add(to, step);
    for (const to of graph.to.get(step.id)?.keys() ?? []) add(to, step);
  }
  return [...steps.values()];
}

/** The key of the value of `ctx` that a node belongs to. */
export function keyOf({ keyOfFile }: Pick<Graph, 'keyOfFile'>, id: string): string | undefined {
  const [file = '', unit = ''] = id.split('#');
  if (id.startsWith('ctx:')) return id.slice('ctx:'.length);
  return /^default([.:]|$)/.test(unit) ? keyOfFile.get(file) : undefined;
}

type Names<Key extends string> = Readonly<Record<Key, readonly string[]>>;

/** The sorted names of everything outside of the modules that code uses. `*` is any name. */
export interface Leaves extends Names<'ctx' | 'env' | 'packages' | 'node' | 'net' | 'templates'> {
  /** Places that fwk can't follow. Code there may read any value of `ctx`. */
  readonly lost: readonly { readonly file: string; readonly line: number; readonly why: string }[];
}

const sorted = (list: readonly string[]): readonly string[] => [...new Set(list)].sort();

export function leavesOf(graph: Graph, ids: readonly string[]): Leaves {
  const named = (kind: string) =>
    sorted(ids.flatMap((id) => (id.startsWith(`${kind}:`) ? [id.slice(kind.length + 1)] : [])));
  const lost = [...new Set(ids)].flatMap((id) =>
    (graph.units.get(id)?.lost ?? []).map((one) => ({ file: id.split('#')[0] ?? '', ...one })),
  );
  return {
    ctx: sorted(ids.flatMap((id) => keyOf(graph, id) ?? [])),
    env: named('env'),
    packages: named('package').filter((name) => !/^(fwkit|@fwkit\/.*)$/.test(name)),
    node: named('node').map((name) => `node:${name}`),
    net: named('net'),
    templates: named('view'),
    lost,
  };
}

/** The names that guards read, in their own files or in code that they use. `fwk prove` builds its requests from them. `*` is any name. */
export interface GuardInputs
  extends Names<'ctx' | 'env' | 'headers' | 'cookies' | 'query' | 'texts' | 'unknown'> {
  /** Whether the guard may depend on the URL of a request. */
  readonly readsUrl: boolean;
}

const OF_URLS = /^(path|url|params|originalUrl|pathname|href|label|file|raw)$/;

export function guardInputs(graph: Graph, files: readonly string[]): GuardInputs {
  const roots = files.flatMap((file) => graph.rootsOf(file));
  const ids = walk(graph, roots).map(({ id }) => id);
  const units = ids.flatMap((id) => graph.units.get(id) ?? []);
  const marks = units.flatMap((unit) => [...unit.marks]);
  const marked = (kind: string) =>
    sorted(marks.flatMap((one) => (one.startsWith(`${kind}:`) ? [one.slice(kind.length + 1)] : [])));
  const texts = sorted(units.flatMap(({ strings }) => [...strings]));
  const { ctx, env, lost } = leavesOf(graph, ids);
  return {
    ...{ ctx, env, headers: marked('header'), cookies: marked('cookies'), query: marked('query') },
    texts: texts.filter(({ length }) => length > 1 && length < 80),
    readsUrl: units.some(({ spells }) => [...spells.keys()].some((name) => OF_URLS.test(name))),
    unknown: lost.map((one) => `${one.file}:${one.line} ${one.why}`),
  };
}
