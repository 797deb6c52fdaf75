import { isHttpRoute } from 'fwkit/http';
import type { BaseRoute } from 'fwkit/plugin';
import type { Visitor } from '../policy/visitor.js';
import type { Ask, Selected } from '../prove/findings.js';
import { METADATA } from '../prove/metadata.js';
import { memberKey } from './flags.js';
import { filled, type ProbeRequest, plainRequest } from './request.js';

/** What is found of one visitor at one target. */
export interface Verdict {
  readonly kind: 'open' | 'answered' | 'failed' | 'vacuous';
  readonly problem: string;
  readonly fix: string;
  readonly spelling?: string;
}

/** One visitor at one target, whichever rules ask. */
export class Inquiry {
  readonly target: Selected;
  readonly visitor: Visitor;
  readonly refuses: boolean;
  /** Whether requests that change nothing are not asked about. */
  readonly isOfMutations: boolean;
  /** Those that ask the same. */
  readonly asks: Ask[] = [];
  /** The flags of its handler: one will do. */
  readonly keys: readonly string[];
  /** Of a tool that is a route: the path of that. */
  readonly toolPath: string | undefined;
  /** The file that checks tokens of MCP clients, relative to the source directory; undefined where none does. */
  readonly auth: string | undefined;
  readonly request: ProbeRequest;
  /** Targets of one class are guarded by the same. */
  readonly classKey: string;
  verdict: Verdict | undefined;
  /** The status by which a visitor is refused, or let in. */
  status: number | undefined;

  constructor({ rule, target, visitor, refuses }: Ask, routes: readonly BaseRoute[]) {
    this.target = target;
    this.visitor = visitor;
    this.refuses = refuses;
    this.isOfMutations = rule.selector === 'mutations';
    const { member } = target;
    const called =
      member && routes.filter(isHttpRoute).find(({ file, tool }) => tool && file === member.file);
    this.toolPath = called?.path;
    this.auth = routes.find(({ kind }) => kind === METADATA)?.file;
    this.keys = member ? [memberKey(member), ...(called ? [called.id] : [])] : [target.route.id];
    const path = target.witness ?? filled(target.path);
    this.request = plainRequest({ kind: target.kind, method: target.method, path }, visitor.headers);
    this.classKey = classOf(this, called);
  }

  /** Forget what was found. */
  reset(): void {
    this.verdict = undefined;
    this.status = undefined;
  }

  /** What MCP clients call. */
  get isMember(): boolean {
    return this.target.member !== undefined;
  }

  /** `/mcp` itself, which has a handler of its own. */
  get isEndpoint(): boolean {
    return !this.isMember && this.target.kind === 'mcp';
  }
}

/** Routes with one chain, method, kind and meta are refused by the same. Layers of plugins may be around some of them. */
function classOf(
  { target, visitor, refuses, isOfMutations }: Inquiry,
  called: BaseRoute | undefined,
): string {
  const { chain, method, kind, meta, route, member } = target;
  const layers = (one: BaseRoute | undefined) =>
    one && isHttpRoute(one) ? [one.layers, one.chain, one.meta] : [];
  return JSON.stringify([
    visitor.name,
    refuses,
    isOfMutations,
    chain,
    method,
    kind,
    meta,
    layers(route),
    member?.scopes,
    called && isHttpRoute(called) ? [called.method, layers(called)] : [],
  ]);
}

/** The inquiries of `asks`, each once. `routes` are all of the project. */
export function inquiriesOf(asks: readonly Ask[], routes: readonly BaseRoute[]): readonly Inquiry[] {
  const inquiries = new Map<string, Inquiry>();
  for (const ask of asks) {
    const { rule, target, visitor, refuses } = ask;
    const id = target.member?.id ?? target.route.id;
    const key = JSON.stringify([visitor.name, refuses, id, target.witness, rule.selector === 'mutations']);
    const inquiry = inquiries.get(key) ?? new Inquiry(ask, routes);
    inquiry.asks.push(ask);
    inquiries.set(key, inquiry);
  }
  return [...inquiries.values()];
}
