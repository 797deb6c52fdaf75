import type { BaseRoute, RouteMember } from 'fwkit/plugin';
import type { RuleData, Visitor } from './rule.js';

/**
 * - `missing`: a middleware that is not in the chain, or a scope that a tool does not need
 * - `order`: middlewares in another order
 * - `open`: a visitor who should be refused got as far as the handler
 * - `answered`: another layer answered instead of refusing
 * - `failed`: a failure, or no answer, in place of a refusal
 * - `vacuous`: a visitor who should be admitted was refused
 * - `unknown`: a name that no middleware has, or several
 * - `empty`: a rule that selects nothing
 * - `stale`: an exception for nothing
 */
export type FindingKind =
  | 'missing'
  | 'order'
  | 'open'
  | 'answered'
  | 'failed'
  | 'vacuous'
  | 'unknown'
  | 'empty'
  | 'stale';

/** What of a policy does not hold. */
export interface Finding {
  /** As it is written: `under("api/admin/**").refuses(anonymous)`. */
  readonly rule: string;
  /** Label of the route or member: `GET /api/users/:id`; absent where it is about the policy itself. */
  readonly route?: string;
  /** Relative to the root: of the route, or of the policy. */
  readonly file: string;
  /** 1-based, in `file`; absent where no line is to blame. */
  readonly line?: number;
  readonly kind: FindingKind;
  /** Completes the route: "does not pass src/api/admin/_middleware.ts". Without a full stop. */
  readonly problem: string;
  /** What to do, in whole sentences. */
  readonly fix: string;
  /** How the request was spelled that got through; absent where it was a plain one, or none was sent. */
  readonly spelling?: string;
}

/** Something that holds. */
export interface Proof {
  readonly rule: string;
  readonly route: string;
  /** How it is known: `chain`, `scopes`, `probe 401`, `public: why`, `except: why`. */
  readonly by: string;
}

/** What `fwk prove --json` prints. */
export interface Report {
  readonly version: 1;
  readonly findings: readonly Finding[];
  readonly proven: readonly Proof[];
  /** How many were sent. */
  readonly requests: number;
}

/** A route, or a member of one, that a client can reach. */
export interface Target {
  /** `GET /api/users/:id`, `WS /ws/rooms/:id`, `TOOL admin_purge`. */
  readonly label: string;
  /** The convention of a route: `api`, `web`, `ws`, `mcp`; of a member its sort: `tool`. */
  readonly kind: string;
  /** Relative to the source directory, as the sources are called. */
  readonly file: string;
  /** Of a member that of the route which leads to it. */
  readonly method: string;
  readonly path: string;
  readonly meta: Readonly<Record<string, unknown>>;
  /** Files of middlewares, outermost first, relative to the source directory. */
  readonly chain: readonly string[];
  /** The route; of a member the one that leads to it. */
  readonly route: BaseRoute;
  readonly member?: RouteMember;
}

/** A target that a rule is about. */
export interface Selected extends Target {
  /** A URL path that the route answers below what the rule selects; absent where route or file is there itself. */
  readonly witness?: string;
}

/** A question for the probe: does `visitor` get as far as the handler of `target`? */
export interface Ask {
  readonly rule: RuleData;
  readonly target: Selected;
  readonly visitor: Visitor;
  /** Whether the visitor must not; else it must. */
  readonly refuses: boolean;
}

/** What is alike, in the order in which each key is met first. */
export function grouped<Item, Key>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): readonly (readonly Item[])[] {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups.values()];
}
