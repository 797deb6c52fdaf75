import { INIT } from '../graph/facts.js';
import type { Graph } from '../graph/graph.js';

/** One step of a walk from a route to what it touches. `isCovered`: it is code of a value of `ctx` that counts by its key alone. */
export interface Step {
  readonly id: string;
  readonly by: Step | undefined;
  readonly isCovered: boolean;
}

/** Whether the code of a value of `ctx` counts as code of the route, by its key alone, or not at all. */
type Enter = (key: string, step: Step) => 'count' | 'cover' | 'stop';

/** Everything that nodes lead to, by the shortest way. An import runs the module. */
export function walk(graph: Graph, from: readonly string[], enter: Enter = () => 'count'): readonly Step[] {
  const steps = new Map<string, Step>();
  const loaded = new Set<string>();
  const add = (id: string, by?: Step): void => {
    const key = keyOf(graph, id);
    const isCovered = by?.isCovered ?? false;
    const isEntered = key !== undefined && (!by || keyOf(graph, by.id) !== key);
    const how = isEntered ? enter(key, { id, by, isCovered }) : 'count';
    const step = { id, by, isCovered: isCovered || how === 'cover' };
    if (how !== 'stop' && !steps.has(id + step.isCovered)) steps.set(id + step.isCovered, step);
  };
  const load = (file: string, by: Step): void => {
    const module = loaded.has(file) ? undefined : graph.modules.get(file);
    loaded.add(file);
    for (const [name, { marks }] of module?.facts.units ?? [])
      if (name === INIT || (marks.has('runs') && !graph.keyOfFile.has(file))) add(`${file}#${name}`, by);
    for (const one of module?.facts.statics.keys() ?? [])
      load(module?.destinations.get(one)?.slice('file:'.length) ?? '', by);
  };
  for (const id of from) add(id);
  for (const step of steps.values()) {
    load(step.id.split('#')[0] ?? '', step);
    for (const to of graph.to.get(step.id)?.keys() ?? []) add(to, step);
  }
  return [...steps.values()];
}

/** The key of the value of `ctx` that a node is, or is a member of. */
export function keyOf({ keyOfFile }: Pick<Graph, 'keyOfFile'>, id: string): string | undefined {
  const [file = '', unit = ''] = id.split('#');
  return id.startsWith('ctx:')
    ? id.slice(4)
    : /^default([.:]|$)/.test(unit)
      ? keyOfFile.get(file)
      : undefined;
}

type Names<Key extends string> = Readonly<Record<Key, readonly string[]>>;

/** What code touches outside of the project's modules, sorted. `*` stands for any name. */
export interface Leaves extends Names<'ctx' | 'env' | 'packages' | 'node' | 'net' | 'templates'> {
  /** Places that can't be followed, so that any value of `ctx` may be reached. */
  readonly lost: readonly { readonly file: string; readonly line: number; readonly why: string }[];
}

const sorted = (list: readonly string[]): readonly string[] => [...new Set(list)].sort();

export function leavesOf(graph: Graph, ids: readonly string[]): Leaves {
  const named = (kind: string) =>
    sorted(ids.filter((id) => id.startsWith(`${kind}:`)).map((id) => id.slice(kind.length + 1)));
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

/** What a guard, and everything that it leads to, reads: `fwk prove` builds its requests from it. A computed name is `*`. */
export interface GuardInputs
  extends Names<'ctx' | 'env' | 'headers' | 'cookies' | 'query' | 'texts' | 'unknown'> {
  readonly file: string;
  /** Whether it may decide by the URL of a request. */
  readonly readsUrl: boolean;
}

const OF_URLS = /^(path|url|params|originalUrl|pathname|href|label|file|raw)$/;

export function guardInputs(graph: Graph, file: string): GuardInputs {
  const ids = walk(graph, graph.rootsOf(file)).map(({ id }) => id);
  const units = ids.flatMap((id) => graph.units.get(id) ?? []);
  const marks = units.flatMap((unit) => [...unit.marks].map((one) => one.split(':')));
  const marked = (kind: string) =>
    sorted(marks.flatMap(([of, ...name]) => (of === kind ? [name.join(':')] : [])));
  const texts = units.flatMap(({ strings }) =>
    [...strings].filter(({ length }) => length > 1 && length < 80),
  );
  const { ctx, env, lost } = leavesOf(graph, ids);
  return {
    ...{
      file,
      ctx,
      env,
      headers: marked('header'),
      cookies: marked('cookies'),
      query: marked('query'),
      texts: sorted(texts),
    },
    readsUrl: units.some(({ spells }) => [...spells].some((name) => OF_URLS.test(name))),
    unknown: lost.map((one) => `${one.file}:${one.line} ${one.why}`),
  };
}
