import { ALL, type Graph, isAny, type Leaves, MADE, type Templates, type UnitId } from '../graph/index.js';
import type { Reachable } from './reachable.js';

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
export interface Lost {
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
export class Describer {
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
