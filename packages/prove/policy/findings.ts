import type { BaseRoute, RouteMember } from 'fwkit/plugin';
import type { RuleData, Visitor } from './rule.js';

/** The kinds of violations that requests find. */
export type ProbeKind = 'open' | 'answered' | 'failed' | 'listed' | 'vacuous';
/** The kind of a violation. The table in docs/policy.md explains each. */
export type FindingKind = ProbeKind | 'missing' | 'order' | 'unknown' | 'empty' | 'stale';

/** A violation of the policy. */
export interface Finding {
  /** As in the policy: `under("api/admin/**").refuses(anonymous)`. */
  readonly rule: string;
  /** Label of the route or member: `GET /api/users/:id`; absent if the finding is about the policy itself. */
  readonly route?: string;
  /** The file of the route or of the policy, relative to the root. */
  readonly file: string;
  /** The line in `file`, from 1, if the finding is about one. */
  readonly line?: number;
  readonly kind: FindingKind;
  readonly visitor?: string;
  /** Completes the route: "does not pass src/api/admin/_middleware.ts". Without a full stop. */
  readonly problem: string;
  readonly fix: string;
  /** How the request was spelled; absent if it was the plain one, or none was sent. */
  readonly spelling?: string;
}

/** A finding in the baseline. */
export type KnownFinding = Pick<Finding, 'kind' | 'file'> & {
  readonly [Key in 'route' | 'visitor' | 'problem']?: string | undefined;
};

/** A part of a rule that holds for a route. */
export interface Proof {
  readonly rule: string;
  readonly route: string;
  /** How it is known: `chain`, `scopes`, `reads visitor`, `probe 401`, `public: why`, `except: why`. */
  readonly by: string;
}

/** The output of `fwk prove --json`. */
export interface Report {
  readonly version: 1;
  /** Without the findings of the baseline. */
  readonly findings: readonly Finding[];
  readonly proven: readonly Proof[];
  readonly requests: number;
  /** Environment variables that guards read. They had the values of this process, and `NODE_ENV` also `production`. */
  readonly environment: readonly string[];
  /** Findings of the baseline that still occur, and findings of it that don't. */
  readonly known: readonly Finding[];
  readonly fixed: readonly KnownFinding[];
}

/** A route, or a member of one, that a client can reach. */
export interface Target {
  /** `GET /api/users/:id`, `WS /ws/rooms/:id`, `TOOL admin_purge`. */
  readonly label: string;
  /** The convention of a route: `api`, `web`, `ws`, `mcp`; or the sort of a member: `tool`. */
  readonly kind: string;
  readonly file: string;
  /** A member has the method and the path of its route. */
  readonly method: string;
  readonly path: string;
  readonly meta: Readonly<Record<string, unknown>>;
  /** Files of middlewares, outermost first, relative to the source directory. */
  readonly chain: readonly string[];
  readonly route: BaseRoute;
  readonly member?: RouteMember;
}

export interface Selected extends Target {
  /** A URL path below the pattern that the route answers; absent if the pattern matches the route itself. */
  readonly witness?: string;
}

/** A question for the probe: does `visitor` reach the handler of `target`? */
export interface Ask {
  readonly rule: RuleData;
  readonly target: Selected;
  readonly visitor: Visitor;
  /** Whether the visitor must be refused. Otherwise it must be admitted. */
  readonly refuses: boolean;
}

/** Groups items by key, in the order in which the keys occur. */
export function grouped<Item, Key>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): readonly (readonly Item[])[] {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key) ?? [];
    group.push(item);
    groups.set(key, group);
  }
  return [...groups.values()];
}
