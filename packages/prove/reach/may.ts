import { isBuiltin } from 'node:module';
import type { Graph } from '../graph/index.js';
import { isOwnPackage } from './capabilities.js';
import { type Excess, excessOf } from './excess.js';
import { nearestFirst } from './nearest.js';
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
