import { isBuiltin } from 'node:module';
import { fileOf, isAny, type UnitId } from '../facts/facts.js';
import { MADE } from '../facts/flow.js';
import type { Graph } from '../graph/graph.js';
import type { Leaves } from '../graph/links.js';
import type { Reachable } from './reachable.js';

/** What is wrong with what a route says that it may reach, or with what it reaches. */
export interface Broken {
  readonly label: string;
  /** Relative to the source directory. */
  readonly file: string;
  /** The name in question, as `may` has it; `*` for what cannot be followed; absent where `may` itself is no list. */
  readonly name?: string;
  /** How it is reached; absent for a mistake in `may`. */
  readonly path?: readonly string[];
  /** Completes the route: "may not reach nodemailer: route → ctx.mail → nodemailer". Without a full stop. */
  readonly problem: string;
  /** What to do: a sentence. */
  readonly fix: string;
}

/** Hold routes to their `may`. `display` says files as people see them; `packages` are those of the project. */
export function brokenBy(
  reachables: readonly Reachable[],
  graph: Graph,
  packages: Iterable<string>,
  display: (file: string) => string,
): readonly Broken[] {
  const known = new Set([...graph.providers.keys(), 'logger', 'net', 'fs', ...packages]);
  return reachables.flatMap((one) => {
    if (one.may === undefined) return [];
    const { label, file, may } = one;
    if (!isNames(may)) {
      const problem = 'has a may that is no list of names';
      return [{ label, file, problem, fix: "Write .meta({ may: ['catalogue', 'env:HOME', 'net'] })." }];
    }
    const mistakes = may.filter((name) => !isKnown(name, known)).map((name) => unknown(one, name, known));
    const excess = excessOf(graph, one, new Set(may)).map((beyond) => tooMuch(one, beyond, display));
    return [...mistakes, ...excess];
  });
}

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

const isKnown = (name: string, known: ReadonlySet<string>): boolean =>
  known.has(name) ||
  isOwnPackage(name) ||
  /^env:./.test(name) ||
  (name.startsWith('node:') && isBuiltin(name));

function unknown({ label, file }: Reachable, name: string, known: ReadonlySet<string>): Broken {
  const candidates = [...known].map((one) => (name.startsWith('env:') ? 'env:NAME' : one));
  const [nearest] = nearestFirst(candidates, name.replace(/^ctx\./, ''));
  const problem = `may reach ${JSON.stringify(name)}, which is neither a value of ctx, nor a package, env:NAME, net, fs or a module of Node`;
  return { label, file, name, problem, fix: `Did you mean "${nearest}"?` };
}

function tooMuch({ label, file }: Reachable, excess: Excess, display: (file: string) => string): Broken {
  const { name, path, blind } = excess;
  const way = path.join(' → ');
  if (blind) {
    const place = `${display(blind.file)}:${blind.line}`;
    const problem = `may reach anything: ${way}, at ${place}, where ${blind.why}`;
    return {
      label,
      file,
      name,
      path,
      problem,
      fix: 'Write it so that it can be followed, or take `may` away.',
    };
  }
  const problem = `may not reach ${shown(name)}: ${way}`;
  return { label, file, name, path, problem, fix: `Take it out, or add "${name}" to its may.` };
}

const shown = (name: string): string => {
  if (name.startsWith('env:')) return `process.env.${name.slice(4)}`;
  if (name === 'net') return 'the network';
  return name === 'fs' ? 'files' : name;
};

/** Something that a route reaches and may not. */
interface Excess {
  /** As `.meta({ may })` names it; `*` where it cannot be known. */
  readonly name: string;
  /** How it is reached: `['route', 'lib/page.ts', 'ctx.mail', 'nodemailer']`. */
  readonly path: readonly string[];
  /** Where what is reached cannot be followed: file relative to the source directory, line, and why. */
  readonly blind?: { readonly file: string; readonly line: number; readonly why: string };
}

/** One step of the way to a unit. */
interface Step {
  readonly id: UnitId;
  /** Whether it is code of a value of `ctx` that the route may use: what that does by itself is its own. */
  readonly isCovered: boolean;
  /** What it is called on the way; undefined where the step before says it. */
  readonly shown?: string | undefined;
  readonly before?: Step | undefined;
}

/** What a route reaches beyond `may`, each once, by the shortest way. */
export function excessOf(
  graph: Graph,
  { file, before }: Reachable,
  may: ReadonlySet<string>,
): readonly Excess[] {
  const found = new Map<string, Excess>();
  const note = (name: string, excess: Excess): void => {
    if (!found.has(name)) found.set(name, excess);
  };
  const seen = new Set<string>();
  const todo: Step[] = [];
  const push = (step: Step): void => {
    const key = `${step.id} ${step.isCovered}`;
    if (seen.has(key)) return;
    seen.add(key);
    todo.push(step);
  };
  for (const id of graph.rootsOf(file)) push({ id, isCovered: false, shown: 'route' });
  for (const one of before) for (const id of graph.rootsOf(one)) push({ id, isCovered: false, shown: one });

  for (let at = 0; at < todo.length; at++) {
    const step = todo[at] as Step;
    const { id, isCovered } = step;
    const leaves = graph.leavesOf([id]);
    for (const blind of leaves.blind)
      note(`* ${blind.file} ${blind.line} ${blind.why}`, { name: '*', path: pathOf(step), blind });
    if (!isCovered)
      for (const { name, shown } of capabilitiesOf(leaves))
        if (!may.has(name) && !(name.startsWith('env:') && may.has('env:*')))
          note(name, { name, path: [...pathOf(step), shown] });
    for (const next of graph.mentions(id)) if (!isAny(next)) push(stepTo(next, step));
    for (const { key, member } of graph.reads(id)) {
      if (key === '*' || key === 'logger' || !graph.providers.has(key)) continue;
      const units = graph.behind(key, member);
      if (may.has(key) || member === MADE)
        for (const next of units) push({ id: next, isCovered: true, shown: `ctx.${key}`, before: step });
      else note(key, { name: key, path: [...pathOf(step), `ctx.${key}`, ...beyond(graph, units)] });
    }
  }
  return [...found.values()];
}

/** A file is named where the way enters it, but that of a value of `ctx`, which has been named by its key. */
function stepTo(id: UnitId, before: Step): Step {
  const file = fileOf(id);
  const isNamed = file === fileOf(before.id);
  return { id, isCovered: before.isCovered, shown: isNamed ? undefined : file, before };
}

function pathOf(step: Step): string[] {
  const path: string[] = [];
  for (let at: Step | undefined = step; at; at = at.before)
    if (at.shown !== undefined) path.unshift(at.shown);
  return path;
}

/** The shortest way from the units of a value of `ctx` to something outside of the project, to say what it stands for. */
function beyond(graph: Graph, units: readonly UnitId[]): readonly string[] {
  const steps: Step[] = units.map((id) => ({ id, isCovered: true }));
  const seen = new Set(units);
  for (let at = 0; at < steps.length; at++) {
    const step = steps[at] as Step;
    const [first] = capabilitiesOf(graph.leavesOf([step.id]));
    if (first) return [...pathOf(step), first.shown];
    for (const next of graph.mentions(step.id))
      if (!seen.has(next) && !isAny(next)) {
        seen.add(next);
        steps.push(stepTo(next, step));
      }
    for (const { key, member } of graph.reads(step.id))
      for (const next of graph.behind(key, member))
        if (!seen.has(next)) {
          seen.add(next);
          steps.push({ id: next, isCovered: true, shown: `ctx.${key}`, before: step });
        }
  }
  return [];
}

/** Names by how much they are like `wanted`, the most alike first. */
export function nearestFirst(names: Iterable<string>, wanted: string): readonly string[] {
  const asked = wanted.toLowerCase();
  return [...new Set(names)]
    .map((name) => ({ name, away: distance(name.toLowerCase(), asked) }))
    .sort((a, b) => a.away - b.away || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}

/** How many characters have to be added, taken away or replaced to make `b` of `a` (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [at, letter] of [...a].entries()) {
    const next = [at + 1];
    for (let to = 1; to <= b.length; to++)
      next[to] = Math.min(
        (row[to] ?? 0) + 1,
        (next[to - 1] ?? 0) + 1,
        (row[to - 1] ?? 0) + (letter === b[to - 1] ? 0 : 1),
      );
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Modules of Node that lead to the network, and those that lead to files. */
const NET = new Set(['net', 'tls', 'http', 'https', 'http2', 'dgram', 'dns', 'dns/promises', 'quic']);
const FS = new Set(['fs', 'fs/promises']);

/** Modules of Node that lead out of the process, or around the code that can be read. Others only compute. */
const OUTSIDE = new Set([
  ...['child_process', 'cluster', 'inspector', 'inspector/promises', 'module', 'os', 'process', 'repl'],
  ...['sqlite', 'tty', 'v8', 'vm', 'wasi', 'worker_threads'],
]);

/** What `.meta({ may })` calls what a module of Node leads to; undefined for one that only computes. */
function nameOfBuiltin(builtin: string): string | undefined {
  const name = builtin.replace(/^node:/, '');
  if (NET.has(name)) return 'net';
  if (FS.has(name)) return 'fs';
  return OUTSIDE.has(name) ? `node:${name}` : undefined;
}

/** Packages of fwk itself are no way out by themselves. */
const isOwnPackage = (name: string): boolean => name === 'fwkit' || name.startsWith('@fwkit/');

/** A way out, as `.meta({ may })` names it, and as people know it. */
interface Capability {
  /** `net`, `fs`, `node:vm`, `env:HOME`, the name of a package. */
  readonly name: string;
  /** `fetch`, `node:http`, `process.env.HOME`, the name of a package. */
  readonly shown: string;
}

/** The ways out of the project's code that some units take by themselves. */
export function capabilitiesOf({ env, packages, builtins, net }: Leaves): readonly Capability[] {
  const found: Capability[] = [];
  for (const name of packages) if (!isOwnPackage(name)) found.push({ name, shown: name });
  for (const one of net) found.push({ name: 'net', shown: one });
  for (const one of builtins) {
    const name = nameOfBuiltin(one);
    if (name !== undefined) found.push({ name, shown: one });
  }
  for (const one of env)
    found.push({ name: `env:${one}`, shown: one === '*' ? 'process.env' : `process.env.${one}` });
  return found;
}
