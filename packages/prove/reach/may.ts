import { isBuiltin } from 'node:module';
import type { Endpoint } from '../graph/endpoints.js';
import type { Graph } from '../graph/graph.js';
import { keyOf, type Leaves, leavesOf, type Step, walk } from './walk.js';

/** What a route reaches beyond its `may`, or a mistake in `may`. */
export interface Broken extends Pick<Endpoint, 'label' | 'file'> {
  /** Completes the route: "may not reach nodemailer: route → ctx.mail → nodemailer". Without a full stop. */
  readonly problem: string;
  readonly fix: string;
}

/** Compare the reach of a route with its `may`. `packages`: the dependencies of the project. */
export function brokenBy(
  { label, file, before, may }: Endpoint,
  graph: Graph,
  packages: readonly string[],
): readonly Broken[] {
  if (may === undefined) return [];
  const fix = "Write .meta({ may: ['catalogue', 'env:HOME', 'net'] }).";
  if (!Array.isArray(may)) return [{ label, file, problem: 'has a may that is no list of names', fix }];
  const known = [...graph.providers.keys(), 'logger', 'net', 'fs', 'env:NAME', ...packages];
  const found = new Map<string, Broken>();
  const note = (name: string, problem: string, fix: string): void =>
    void (found.has(name) || found.set(name, { label, file, problem, fix }));
  const notAllowed = (name: string, shown: string, path: readonly string[]): void =>
    note(name, `may not reach ${shown}: ${path.join(' → ')}`, `Take it out, or add "${name}" to its may.`);
  for (const name of may.map(String)) {
    const isKnown =
      known.includes(name) ||
      OWN.test(name) ||
      /^env:./.test(name) ||
      (name.startsWith('node:') && isBuiltin(name));
    const problem = `may reach "${name}", which is neither a value of ctx, nor a package, env:NAME, net, fs or a module of Node`;
    if (!isKnown) note(name, problem, `Did you mean "${nearest(name.replace(/^ctx\./, ''), known)}"?`);
  }
  const enter = (key: string, step: Step): 'cover' | 'stop' => {
    const [way] = waysOut(
      leavesOf(
        graph,
        walk(graph, graph.valueOf(key, '*')).map(({ id }) => id),
      ),
    );
    if (!may.includes(key) && key !== 'logger')
      notAllowed(key, key, [...pathOf(graph, step, file), ...(way ? [way.shown] : [])]);
    return may.includes(key) ? 'cover' : 'stop';
  };
  for (const step of walk(
    graph,
    [file, ...before].flatMap((one) => graph.rootsOf(one)),
    enter,
  )) {
    const leaves = leavesOf(graph, [step.id]);
    for (const { file: at, line, why } of leaves.lost)
      note(
        `${at}:${line}`,
        `may reach anything: ${pathOf(graph, step, file).join(' → ')}, at ${at}:${line}, where ${why}`,
        'Write it so that it can be followed, or remove its may.',
      );
    for (const { name, shown, called = shown } of step.isCovered ? [] : waysOut(leaves))
      if (!may.includes(name.replace(/^env:.*/, (one) => (may.includes('env:*') ? 'env:*' : one))))
        notAllowed(name, called, [...pathOf(graph, step, file), shown]);
  }
  return [...found.values()];
}

/** The files on the way, and the values of `ctx` by their keys. */
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

/** The known name that begins most like `name`. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const alike = (other: string): number => {
    const at = [...other].findIndex((letter, index) => letter !== name[index]);
    return at === -1 ? other.length : at;
  };
  return [...known].sort((a, b) => alike(b) - alike(a))[0];
}

/** Packages of fwk are no way out by themselves; modules of Node are if they lead to the network, to files, or out of the process. */
const OWN = /^(fwkit|@fwkit\/.*)$/;
const NET = /^node:(net|tls|https?|http2|dgram|dns(\/promises)?|quic)$/;
const FILES = /^node:fs(\/promises)?$/;
const OUTSIDE =
  /^node:(child_process|cluster|inspector(\/promises)?|module|os|process|repl|sqlite|tty|v8|vm|wasi|worker_threads|\*)$/;

/** Ways out of the project's code: as `may` names them, as a step, and as a message calls them. */
const waysOut = ({
  env,
  packages,
  node,
  net,
}: Leaves): readonly { name: string; shown: string; called?: string }[] => [
  ...packages.map((name) => ({ name, shown: name })),
  ...[...net, ...node.filter((one) => NET.test(one))].map((shown) => ({
    name: 'net',
    shown,
    called: 'the network',
  })),
  ...node.filter((one) => FILES.test(one)).map((shown) => ({ name: 'fs', shown, called: 'files' })),
  ...node.filter((one) => OUTSIDE.test(one)).map((name) => ({ name, shown: name })),
  ...env.map((one) => ({ name: `env:${one}`, shown: one === '*' ? 'process.env' : `process.env.${one}` })),
];
