import { BootError, type CommandRun, type Resolved } from 'fwkit/plugin';
import { type Endpoint, endpointsOf } from '../graph/endpoints.js';
import type { Lost } from '../graph/facts.js';
import { Graph } from '../graph/graph.js';
import { providersIn, readModules } from '../graph/modules.js';
import { redirected, withProject } from '../report/command-output.js';

/** A node on the path from a route to everything that it reaches. `isCovered`: the path contains a value of `ctx`. */
type Step = { readonly id: string; readonly by: Step | undefined; readonly isCovered: boolean };

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
function keyOf({ keyOfFile }: Pick<Graph, 'keyOfFile'>, id: string): string | undefined {
  const [file = '', unit = ''] = id.split('#');
  if (id.startsWith('ctx:')) return id.slice('ctx:'.length);
  return /^default([.:]|$)/.test(unit) ? keyOfFile.get(file) : undefined;
}

type Names<Key extends string> = Readonly<Record<Key, readonly string[]>>;

/** The sorted names of everything outside of the modules that code uses. `*` is any name. */
interface Leaves extends Names<'ctx' | 'env' | 'packages' | 'node' | 'net' | 'templates'> {
  readonly lost: readonly Lost[];
}

const sorted = (list: readonly string[]): readonly string[] => [...new Set(list)].sort();
/** The sorted names of a kind: `HOME` for `env` in `env:HOME`. */
const namesIn = (list: readonly string[], kind: string): readonly string[] =>
  sorted(list.flatMap((one) => (one.startsWith(`${kind}:`) ? [one.slice(kind.length + 1)] : [])));

function leavesOf(graph: Graph, ids: readonly string[]): Leaves {
  return {
    ctx: sorted(ids.flatMap((id) => keyOf(graph, id) ?? [])),
    env: namesIn(ids, 'env'),
    packages: namesIn(ids, 'package').filter((name) => !/^(fwkit|@fwkit\/.*)$/.test(name)),
    node: namesIn(ids, 'node').map((name) => `node:${name}`),
    net: namesIn(ids, 'net'),
    templates: namesIn(ids, 'view'),
    lost: [...new Set(ids)].flatMap((id) => graph.units.get(id)?.lost ?? []),
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
  const texts = sorted(units.flatMap(({ strings }) => [...strings]));
  const { ctx, env, lost } = leavesOf(graph, ids);
  return {
    ...{ ctx, env, headers: namesIn(marks, 'header') },
    ...{ cookies: namesIn(marks, 'cookies'), query: namesIn(marks, 'query') },
    texts: texts.filter(({ length }) => length > 1 && length < 80),
    readsUrl: units.some(({ spells }) => [...spells.keys()].some((name) => OF_URLS.test(name))),
    unknown: lost.map((one) => `${one.file}:${one.line} ${one.why}`),
  };
}

/** Everything that a route and the middlewares in `chain` reach. Files are relative to the root. */
interface Reach extends Leaves {
  readonly route: string;
  readonly file: string;
  readonly chain: readonly string[];
  readonly guards: readonly (GuardInputs & { readonly file: string })[];
}

/** The output of `fwk reach --json`. `excess`: things that routes reach beyond their `may`, and mistakes in `may`. */
type Answer = { readonly version: 2; readonly routes: readonly Reach[]; readonly excess: readonly Broken[] };

/** Surveys the routes that have a label, a path or a file, or else the routes that contain the words. */
export async function survey(
  { project, routes }: Pick<Resolved, 'project' | 'routes'>,
  asked = '',
): Promise<Answer> {
  const graph = new Graph(await readModules(project, providersIn(project)));
  const chosen = chooseEndpoints(endpointsOf(project, routes), asked);
  const files = [...new Set(chosen.flatMap(({ before }) => before))];
  const guards = new Map(files.map((file) => [file, { file, ...guardInputs(graph, [file]) }] as const));
  const reaches = chosen.map(({ label, file, before }): Reach => {
    const roots = [file, ...before].flatMap((one) => graph.rootsOf(one));
    const ids = walk(graph, roots).map(({ id }) => id);
    const inputs = before.flatMap((one) => guards.get(one) ?? []);
    return { route: label, file, chain: before, ...leavesOf(graph, ids), guards: inputs };
  });
  return { version: 2, routes: reaches, excess: chosen.flatMap((one) => brokenBy(one, graph)) };
}

function chooseEndpoints(all: readonly Endpoint[], asked: string): readonly Endpoint[] {
  const placeOf = ({ label }: Endpoint): string => label.replace(/^(\S+) (.*)$/, '$2 $1');
  const endpoints = [...all].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  const namesOf = ({ label, file }: Endpoint): readonly string[] =>
    [label, label.replace(/^\S+ /, ''), file, file.replace(/^src\//, '')].map((one) => one.toLowerCase());
  const words = asked.toLowerCase();
  const exact = endpoints.filter((one) => namesOf(one).includes(words));
  const chosen =
    exact.length > 0 ? exact : endpoints.filter((one) => namesOf(one).join('\n').includes(words));
  if (chosen.length > 0 || asked === '') return chosen;
  throw new BootError({ message: `fwk reach: there is no route ${asked}.`, code: 'FWK603' });
}

/** `fwk reach [route]`. The exit code is 2 if the command fails. */
export async function run(command: CommandRun): Promise<void> {
  process.exitCode = 2;
  const isJson = command.flags.json === true;
  const asked = command.operands.join(' ').trim();
  const found = await redirected(isJson, () => withProject(command, (resolved) => survey(resolved, asked)));
  process.exitCode = 0;
  if (isJson) return console.log(JSON.stringify(found, null, 2));
  for (const reach of found.routes) console.log(lineOf(reach));
  for (const { label, problem, fix } of found.excess) console.log(`✗ ${label} ${problem}. ${fix}`);
}

function lineOf({ route, ctx, env, packages, node, net, templates, lost }: Reach): string {
  const names = { ctx: lost.length > 0 ? ['*'] : ctx, env, packages, node, net, templates };
  const words = Object.entries(names).flatMap(([kind, list]) =>
    list.length > 0 ? [`${kind} ${list.join(' ').replace(/node:/g, '')}`] : [],
  );
  const places = lost.map(({ file, line, why }) => `${file}:${line}, where ${why}`).join('; ');
  return [route, ...words, ...(places === '' ? [] : [`cannot be followed: ${places}`])].join('  ');
}

/** Something that a route reaches beyond its `may`, or a mistake in `may`. */
interface Broken extends Pick<Endpoint, 'label' | 'file'> {
  /** Completes the route: "may not reach nodemailer: route → ctx.mail → nodemailer". It has no full stop. */
  readonly problem: string;
  readonly fix: string;
}

const FIX = "Write .meta({ may: ['catalogue', 'env:HOME', 'net'] }).";

/** Compares the reach of a route with its `may`. */
function brokenBy(endpoint: Endpoint, graph: Graph): readonly Broken[] {
  const { label, file, before, may } = endpoint;
  if (may === undefined) return [];
  if (!Array.isArray(may)) return [{ label, file, problem: 'has a may that is no list of names', fix: FIX }];
  const found = new Map<string, Broken>();
  const note = (name: string, problem: string, fix: string): void => {
    if (!found.has(name)) found.set(name, { label, file, problem, fix });
  };
  const forbid = (name: string, path: readonly string[]): void =>
    note(name, `may not reach ${name}: ${path.join(' → ')}`, `Remove it, or add "${name}" to its may.`);
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
type WayOut = { readonly name: string; readonly shown: string };

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
