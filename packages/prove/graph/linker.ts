import type { Facts } from '../facts/facts.js';
import { WHOLE } from '../facts/names.js';

/** Where an import leads: a file of the project, a module of Node, a package, or nowhere. */
export type Destination =
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'builtin' | 'package' | 'missing'; readonly name: string };

/** Where the imports of each module lead, by its file and then by specifier. */
export type Destinations = ReadonlyMap<string, ReadonlyMap<string, Destination>>;

/** What a name of a module stands for. */
export interface Found {
  readonly units: readonly (readonly [file: string, unit: string])[];
  /** Packages and modules of Node that it is handed on from. */
  readonly outside: readonly Destination[];
}

type Names = ReadonlyMap<string, ReadonlySet<string>>;

/** Finds what exported names stand for, through `export … from` and `export *`, cycles included. */
export class Linker {
  readonly #found = new Map<string, Found>();
  /** For modules with `export *`: which modules below declare which name themselves. */
  readonly #below = new Map<string, Names>();

  constructor(
    private readonly modules: ReadonlyMap<string, Facts>,
    private readonly destinations: Destinations,
  ) {
    const stars = (file: string): string[] =>
      (modules.get(file)?.stars ?? []).flatMap((one) => this.#file(file, one) ?? []);
    const barrels = [...modules.values()].filter(({ stars }) => stars.length > 0).map(({ file }) => file);
    for (const component of components(barrels.sort(), stars)) {
      const names = new Map<string, Set<string>>();
      const add = (name: string, file: string): void => {
        const known = names.get(name);
        if (known) known.add(file);
        else names.set(name, new Set([file]));
      };
      for (const file of component) {
        for (const name of modules.get(file)?.exports.keys() ?? []) if (name !== 'default') add(name, file);
        for (const next of stars(file))
          for (const [name, files] of this.#below.get(next) ?? this.#own(next))
            for (const one of files) add(name, one);
      }
      for (const file of component) this.#below.set(file, names);
    }
  }

  destination(file: string, specifier: string): Destination {
    return this.destinations.get(file)?.get(specifier) ?? { kind: 'missing', name: specifier };
  }

  /** What `name` of a module stands for; of `*`, all that it exports. */
  find(file: string, name: string): Found {
    const key = `${file}\n${name}`;
    const known = this.#found.get(key);
    if (known) return known;
    const found =
      name === WHOLE ? this.#all(file) : (this.#declared(file, name) ?? this.#named([[file, name]]));
    this.#found.set(key, found);
    return found;
  }

  /** What a module declares itself: most names need no more. */
  #declared(file: string, name: string): Found | undefined {
    const own = this.modules.get(file)?.exports.get(name);
    return own && 'unit' in own ? { units: [[file, own.unit]], outside: [] } : undefined;
  }

  #all(file: string): Found {
    const facts = this.modules.get(file);
    if (!facts) return { units: [], outside: [] };
    const named = new Set([...facts.exports.keys(), ...(this.#below.get(file)?.keys() ?? [])]);
    const { units, outside } = this.#named([...named].map((name) => [file, name] as const));
    const outer = this.#starred(file);
    return { units, outside: [...outside, ...outer] };
  }

  /** Packages that a module, or one that it hands on, hands on as a whole. */
  #starred(file: string): Destination[] {
    const seen = new Set([file]);
    const outside: Destination[] = [];
    for (const one of seen)
      for (const specifier of this.modules.get(one)?.stars ?? []) {
        const next = this.destination(one, specifier);
        if (next.kind === 'file') seen.add(next.file);
        else outside.push(next);
      }
    return outside;
  }

  #named(wanted: readonly (readonly [file: string, name: string])[]): Found {
    const units = new Map<string, readonly [string, string]>();
    const outside = new Map<string, Destination>();
    const seen = new Set<string>();
    const todo = [...wanted];
    for (let next = todo.pop(); next; next = todo.pop()) {
      const [file, name] = next;
      const key = `${file}\n${name}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const facts = this.modules.get(file);
      if (!facts) continue;
      if (name === WHOLE) {
        for (const one of new Set([...facts.exports.keys(), ...(this.#below.get(file)?.keys() ?? [])]))
          todo.push([file, one]);
        continue;
      }
      const own = facts.exports.get(name);
      if (own && 'unit' in own) units.set(`${file}#${own.unit}`, [file, own.unit]);
      else if (own) {
        const to = this.destination(file, own.specifier);
        if (to.kind === 'file') todo.push([to.file, own.name]);
        else outside.set(`${to.kind} ${to.name}`, to);
      } else if (name !== 'default') {
        const declaring = this.#below.get(file)?.get(name);
        for (const one of declaring ?? []) todo.push([one, name]);
        if (!declaring)
          for (const one of this.#starred(file))
            if (one.kind !== 'file') outside.set(`${one.kind} ${one.name}`, one);
      }
    }
    return { units: [...units.values()], outside: [...outside.values()] };
  }

  #own(file: string): Names {
    const names = [...(this.modules.get(file)?.exports.keys() ?? [])];
    return new Map(names.filter((name) => name !== 'default').map((name) => [name, new Set([file])]));
  }

  #file(from: string, specifier: string): string | undefined {
    const to = this.destination(from, specifier);
    return to.kind === 'file' ? to.file : undefined;
  }
}

/** The strongly connected components of a graph, each after those that it leads to (Tarjan), without recursion. */
function components(nodes: Iterable<string>, next: (node: string) => readonly string[]): string[][] {
  const indexes = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const found: string[][] = [];

  for (const root of nodes) {
    if (indexes.has(root)) continue;
    const work: { readonly node: string; readonly next: readonly string[]; at: number }[] = [];
    const enter = (node: string): void => {
      indexes.set(node, indexes.size);
      low.set(node, indexes.size - 1);
      open.push(node);
      isOpen.add(node);
      work.push({ node, next: next(node), at: 0 });
    };
    enter(root);
    for (let top = work.at(-1); top; top = work.at(-1)) {
      const { node } = top;
      const child = top.next[top.at++];
      if (child !== undefined) {
        if (!indexes.has(child)) enter(child);
        else if (isOpen.has(child)) lower(low, node, indexes.get(child));
        continue;
      }
      work.pop();
      const outer = work.at(-1);
      if (outer) lower(low, outer.node, low.get(node));
      if (low.get(node) !== indexes.get(node)) continue;
      const component = open.splice(open.lastIndexOf(node));
      for (const one of component) isOpen.delete(one);
      found.push(component);
    }
  }
  return found;
}

function lower(low: Map<string, number>, node: string, to = 0): void {
  low.set(node, Math.min(low.get(node) ?? to, to));
}
