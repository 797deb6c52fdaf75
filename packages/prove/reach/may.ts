import { isBuiltin } from 'node:module';
import type { Endpoint } from '../graph/endpoints.js';
import type { Graph } from '../graph/graph.js';
import { nearestFirst } from '../policy/nearest-first.js';
import { keyOf, leavesOf, type Step, walk } from './walk.js';

/** Something that a route reaches beyond its `may`, or a mistake in `may`. */
export interface Broken extends Pick<Endpoint, 'label' | 'file'> {
  /** Completes the route: "may not reach nodemailer: route → ctx.mail → nodemailer". It has no full stop. */
  readonly problem: string;
  readonly fix: string;
}

const FIX = "Write .meta({ may: ['catalogue', 'env:HOME', 'net'] }).";

/** Compares the reach of a route with its `may`. `packages`: the dependencies of the project. */
export function brokenBy(endpoint: Endpoint, graph: Graph, packages: readonly string[]): readonly Broken[] {
  const { label, file, before, may } = endpoint;
  if (may === undefined) return [];
  if (!Array.isArray(may)) return [{ label, file, problem: 'has a may that is no list of names', fix: FIX }];
  const found = new Map<string, Broken>();
  const note = (name: string, problem: string, fix: string): void => {
    if (!found.has(name)) found.set(name, { label, file, problem, fix });
  };
  const forbid = (name: string, path: readonly string[]): void =>
    note(name, `may not reach ${name}: ${path.join(' → ')}`, `Remove it, or add "${name}" to its may.`);
  const known = [...graph.providers.keys(), 'logger', 'net', 'fs', 'env:NAME', ...packages];
  for (const name of may.map(String)) {
    if (known.includes(name) || /^(fwkit$|@fwkit\/|env:.)/.test(name)) continue;
    const problem = `may reach "${name}", which is neither a value of ctx, nor a package, env:NAME, net, fs or a module of Node`;
    const [nearest] = nearestFirst(known, name.replace(/^ctx\./, ''));
    if (!name.startsWith('node:') || !isBuiltin(name)) note(name, problem, `Did you mean "${nearest}"?`);
  }
  const enters = (key: string, step: Step): boolean => {
    const ids = walk(graph, graph.valueOf(key, '*')).map(({ id }) => id);
    const [way] = waysOut(graph, ids);
    if (!may.includes(key) && key !== 'logger')
      forbid(key, [...pathOf(graph, step, file), ...(way ? [way.shown] : [])]);
    return may.includes(key);
  };
  const roots = [file, ...before].flatMap((one) => graph.rootsOf(one));
  for (const step of walk(graph, roots, enters)) {
    const path = pathOf(graph, step, file);
    for (const { file: at, line, why } of leavesOf(graph, [step.id]).lost)
      note(
        `${at}:${line}`,
        `may reach anything: ${path.join(' → ')}, at ${at}:${line}, where ${why}`,
        'Write it so that it can be followed, or remove its may.',
      );
    for (const { name, shown } of step.isCovered ? [] : waysOut(graph, [step.id]))
      if (!may.includes(name) && !(name.startsWith('env:') && may.includes('env:*')))
        forbid(name, [...path, shown]);
  }
  return [...found.values()];
}

/** The files on the way to a node, and the values of `ctx` by their keys. */
function pathOf(graph: Graph, step: Step, route: string): readonly string[] {
  const path: string[] = [];
  for (let at: Step | undefined = step; at; at = at.by) {
    const [file = ''] = at.id.split('#');
    const key = keyOf(graph, at.id);
    const shown = key !== undefined ? `ctx.${key}` : file === route ? 'route' : file;
    if ((key !== undefined || graph.units.has(at.id)) && path[0] !== shown) path.unshift(shown);
  }
  return path;
}

const NET = /^node:(net|tls|https?|http2|dgram|dns(\/promises)?|quic)$/;
const FILES = /^node:fs(\/promises)?$/;
/** Other modules of Node that leave the process. */
const OUTSIDE =
  /^node:(child_process|cluster|inspector(\/promises)?|module|os|process|repl|sqlite|tty|v8|vm|wasi|worker_threads|\*)$/;

/** A way out of the project's code: its name in `may`, and its name in a path. */
interface WayOut {
  readonly name: string;
  readonly shown: string;
}

function waysOut(graph: Graph, ids: readonly string[]): readonly WayOut[] {
  const { env, packages, node, net } = leavesOf(graph, ids);
  const ways: WayOut[] = packages.map((name) => ({ name, shown: name }));
  for (const shown of [...net, ...node])
    if (net.includes(shown) || NET.test(shown)) ways.push({ name: 'net', shown });
    else if (FILES.test(shown)) ways.push({ name: 'fs', shown });
    else if (OUTSIDE.test(shown)) ways.push({ name: shown, shown });
  for (const one of env)
    ways.push({ name: `env:${one}`, shown: one === '*' ? 'process.env' : `process.env.${one}` });
  return ways;
}
