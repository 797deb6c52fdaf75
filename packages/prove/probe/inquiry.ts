import { AsyncLocalStorage } from 'node:async_hooks';
import { type HttpRoute, isHttpRoute } from 'fwkit/http';
import { type McpCall, replaceMcpHandlers, wrapMcpCalls } from 'fwkit/mcp';
import { type BaseRoute, type Hooks, messageOf, Stage } from 'fwkit/plugin';
import { routeOfTool } from '../graph/endpoints.js';
import type { Ask, Finding, ProbeKind, Selected } from '../policy/findings.js';
import type { RuleData, Visitor } from '../policy/rule.js';
import { filled, MARK, type ProbeRequest, plainRequest } from './requests.js';
import type { Outcome } from './sender.js';
import { PLAIN, type Spelling } from './spellings.js';

/** A finding about one visitor at one target. */
export type Verdict = Pick<Finding, 'problem' | 'fix' | 'spelling'> & {
  readonly kind: ProbeKind;
};

export class Inquiry {
  readonly isMember: boolean;
  /** Whether it is `/mcp` itself, which has its own handler. */
  readonly isEndpoint: boolean;
  /** Whether only requests that may change something matter. */
  readonly isOfMutations: boolean;
  readonly asks: Ask[] = [];
  /** The flags of its handler. One of them suffices. */
  readonly keys: readonly string[];
  readonly toolPath: string | undefined;
  /** The file that checks tokens of MCP clients, relative to the source directory. */
  readonly auth: string | undefined;
  readonly request: ProbeRequest;
  /** The same for targets with the same guards. */
  readonly classKey: string;
  verdict: Verdict | undefined;
  status: number | undefined;

  constructor(
    rule: RuleData,
    readonly target: Selected,
    readonly visitor: Visitor,
    readonly refuses: boolean,
    routes: readonly BaseRoute[],
  ) {
    this.isMember = target.member !== undefined;
    this.isEndpoint = !this.isMember && target.kind === 'mcp';
    this.isOfMutations = rule.selector === 'mutations';
    const { member, route, chain, method, kind, meta } = target;
    const called = member && routeOfTool(member.file, routes);
    this.toolPath = called?.path;
    this.auth = routes.find((one) => one.kind === 'mcp-auth')?.file;
    this.keys = member ? [memberKey(member), ...(called ? [called.id] : [])] : [route.id];
    const path = target.witness ?? filled(target.path);
    this.request = plainRequest({ kind, method, path }, visitor.headers);
    // Layers of plugins may guard only some of the routes.
    const layersOf = (one: BaseRoute | undefined): unknown =>
      one && isHttpRoute(one) ? [one.method, one.layers, one.chain, one.meta] : [];
    const guards = [chain, method, kind, meta, layersOf(route), member?.scopes, layersOf(called)];
    this.classKey = JSON.stringify([visitor.name, refuses, this.isOfMutations, ...guards]);
  }

  /** The files that run before the handler: middlewares, and for `/mcp` the file that checks tokens. */
  get around(): readonly string[] {
    const isBehindAuth = this.auth !== undefined && (this.isMember || this.isEndpoint);
    return isBehindAuth ? [...this.target.chain, this.auth] : this.target.chain;
  }
}

export function inquiriesOf(asks: readonly Ask[], routes: readonly BaseRoute[]): readonly Inquiry[] {
  const inquiries = new Map<string, Inquiry>();
  for (const ask of asks) {
    const { rule, target, visitor, refuses } = ask;
    const id = target.member?.id ?? target.route.id;
    const key = JSON.stringify([visitor.name, refuses, id, target.witness, rule.selector === 'mutations']);
    const inquiry = inquiries.get(key) ?? new Inquiry(rule, target, visitor, refuses, routes);
    inquiry.asks.push(ask);
    inquiries.set(key, inquiry);
  }
  return [...inquiries.values()];
}

/** The key of the flags of a member of `/mcp`. The key of a route is its id. */
const memberKey = ({ kind, name }: { readonly kind: string; readonly name: string }): string =>
  `${kind} ${name}`;

/** The handlers that requests have reached inside the project, and the failures that they have caused. */
export class Flags {
  readonly #raised = new Map<string, Set<string>>();
  /** Thrown values that became a 500, by the mark of the request. */
  readonly failures = new Map<string, unknown>();

  raise(key: string, mark: unknown): void {
    if (typeof mark === 'string') this.#raised.set(mark, (this.#raised.get(mark) ?? new Set()).add(key));
  }

  /** Whether the request with `mark` reached one of the handlers in `keys`, or any handler if `keys` is undefined. */
  has(mark: string, keys?: readonly string[]): boolean {
    const raised = this.#raised.get(mark);
    return raised !== undefined && (keys === undefined || keys.some((key) => raised.has(key)));
  }
}

/** Replaces each handler, socket and tool of one run with a flag. `hasMembers`: members of `/mcp` are called. */
export const raising =
  (flags: Flags, hasMembers: boolean) =>
  (hooks: Hooks): void => {
    const flagged = (route: HttpRoute): HttpRoute => ({
      ...route,
      handler: (req, res, ctx) => {
        flags.raise(route.id, req.header(MARK));
        // The handler of /mcp checks tokens and calls members.
        return route.kind === 'mcp' ? route.handler(req, res, ctx) : void res.status(204);
      },
    });
    // Inside the layer that checks handshakes and their origin.
    hooks.resolve.tapPromise({ name: 'probe:sockets', stage: Stage.innermost }, async (routes) =>
      routes.map((route) => (isHttpRoute(route) && route.kind === 'ws' ? flagged(route) : route)),
    );
    // Inside everything that can refuse. Replaces caches, schemas and bodies of handlers, too. Other protocols, such as jobs, must not run.
    hooks.resolve.tapPromise({ name: 'probe', stage: Stage.probe }, async (routes, project) => {
      const calls = new AsyncLocalStorage<McpCall>();
      // Following calls makes each request slower.
      if (hasMembers) wrapMcpCalls(project, (call, run) => calls.run(call, run));
      replaceMcpHandlers(project, (member) => {
        flags.raise(memberKey(member), calls.getStore()?.raw?.headers[MARK]);
        return 'raised';
      });
      const own = routes.filter(isHttpRoute);
      return own.map((route): BaseRoute => (route.kind === 'ws' ? route : flagged(route)));
    });
  };

interface Reply {
  readonly inquiry: Inquiry;
  readonly spelling: Spelling;
  readonly request: ProbeRequest;
  readonly mark: string;
  readonly outcome: Outcome;
}

export const judge = (reply: Reply, flags: Flags): Verdict | undefined =>
  reply.inquiry.refuses ? judgeRefusal(reply, flags) : judgeAdmission(reply, flags);

function isIn({ inquiry, spelling, request, mark, outcome }: Reply, flags: Flags): boolean {
  const isReached = flags.has(mark, inquiry.keys);
  if (!inquiry.isEndpoint || !isReached) return isReached;
  // The handler of /mcp refuses clients itself, and also answers requests that aren't from MCP clients.
  if (typeof outcome === 'string' || outcome.status >= 300 || request.method === 'OPTIONS') return false;
  const { 'content-type': type = '', 'mcp-session-id': session } = outcome.headers;
  const isMcp = session !== undefined || /^(?:text\/event-stream|application\/json)/.test(type);
  return isMcp || spelling.changes !== 'path';
}

function judgeRefusal(reply: Reply, flags: Flags): Verdict | undefined {
  const { inquiry, spelling, request } = reply;
  const found = problemOf(reply, flags);
  if (!found) return undefined;
  const { witness } = inquiry.target;
  const [kind, problem, fix] = found;
  const text = `${witness === undefined ? '' : `answers ${witness}, and `}${problem}`;
  if (spelling === PLAIN) return { kind, problem: text, fix };
  const isShown = spelling.changes !== 'header' && spelling.changes !== 'environment';
  const shown = isShown ? `: ${request.method} ${request.target}` : '';
  return { kind, problem: `${text}, by ${spelling.name}`, fix, spelling: spelling.name + shown };
}

type Found = readonly [kind: Verdict['kind'], problem: string, fix: string];

function problemOf(reply: Reply, flags: Flags): Found | undefined {
  const { mark, outcome, inquiry, spelling, request } = reply;
  const { name } = inquiry.visitor;
  if (isIn(reply, flags)) return ['open', `lets ${name} in`, wayToClose(inquiry)];
  if (outcome === 'silent')
    return ['failed', `gives ${name} no answer within 3 s`, 'Have the guard refuse, or call next().'];
  if (outcome === 'closed') return ['failed', `closes the connection of ${name} without an answer`, REFUSE];
  const { status } = outcome;
  const fixOfLimit = 'Count requests by address, or allow more of them if NODE_ENV is not production.';
  if (status === 429)
    return ['failed', `answers ${name} with 429, which doesn't show that a guard refuses`, fixOfLimit];
  if (status >= 500) {
    const failure = flags.failures.get(mark);
    const why = failure === undefined ? '' : ` (${messageOf(failure)})`;
    return ['failed', `fails with ${status} for ${name}${why}, which is not a refusal`, REFUSE];
  }
  // Another path or method may be another route. An empty response gives nothing away.
  const isOwn = spelling.changes === 'header' || spelling.changes === 'query' || request.method === 'HEAD';
  // The result of the call contains the refusal of a tool that is a route.
  const isAnswer = status < 300 && status !== 204 && isOwn && inquiry.toolPath === undefined;
  if (!isAnswer || flags.has(mark)) return undefined;
  const fix = 'Another layer answers before the guard, such as a cache. Move the guard outside of it.';
  return ['answered', `answers ${name} with ${status} before its handler`, fix];
}

const REFUSE = 'Throw error(401) or error(403) in the guard instead.';

function judgeAdmission(reply: Reply, flags: Flags): Verdict | undefined {
  const { inquiry, outcome } = reply;
  if (isIn(reply, flags)) return undefined;
  // A cache may answer. An empty response has lost the result of the handler.
  const isAnswered = typeof outcome !== 'string' && outcome.status < 300 && outcome.status !== 204;
  if (isAnswered && !inquiry.isMember) return undefined;
  const how = typeof outcome === 'string' ? 'no answer' : String(outcome.status);
  const fix = 'Correct the guard, or correct the visitor so that the guard recognizes it.';
  return { kind: 'vacuous', problem: `does not let ${inquiry.visitor.name} in (${how})`, fix };
}

/** How to close a target that lets somebody in. Nearly always, the fix is to guard it. */
function wayToClose({ target, auth, around, isEndpoint, isMember, toolPath }: Inquiry): string {
  const now =
    around.length === 0 ? 'No middleware runs before it.' : `Nothing in ${around.join(' → ')} refuses this.`;
  const scopes = target.member?.kind === 'tool' ? ', and give the tool the scopes that it needs' : '';
  const fix =
    !isEndpoint && (!isMember || toolPath !== undefined)
      ? 'Move its file to where a guard runs before it, or fix the guard'
      : auth === undefined
        ? 'Add mcp/auth or mcp/_middleware'
        : `Return null from verify of ${auth} for unknown clients${scopes}`;
  const meta = isMember || isEndpoint ? '' : "add .meta({ public: 'why' }), or ";
  return `${now} ${fix}. If everybody may call it, ${meta}except it in the policy with a reason.`;
}
