import { attachSession, sessionOf } from '../../context/index.js';
import { type Handler, type HttpRequest, type HttpResponse, releaseVersion } from '../../http/index.js';
import type { Offering } from '../calls/call-context.js';
import type { Identity } from '../definitions/call.js';
import { Visitor } from '../visitor.js';
import { Bearer } from './bearer.js';
import type { Connections } from './connections.js';
import { allowPage, METHODS, preflight } from './cors.js';
import { AllowedHosts } from './origin-check.js';
import { Posts } from './posts.js';
import { noSession, notAllowed, sendRpcError, stopping } from './rpc-errors.js';
import type { HttpSession } from './session.js';

export interface EndpointSettings {
  readonly sessions: boolean | 'sticky';
  readonly hosts: readonly string[];
}

/** `/mcp` in one version of a project. Clients and their sessions are in `connections`, which outlive it. */
export class Endpoint {
  readonly #offering: Offering;
  readonly #sessions: boolean;
  readonly #allowedHosts: AllowedHosts;
  /** Undefined where no token is needed. */
  readonly #bearer: Bearer | undefined;
  readonly #identities = new WeakMap<HttpRequest, Identity>();
  #serving: { readonly connections: Connections; readonly posts: Posts } | undefined;

  constructor(offering: Offering, { sessions, hosts }: EndpointSettings) {
    this.#offering = offering;
    this.#sessions = sessions !== false;
    this.#allowedHosts = new AllowedHosts(hosts, offering.project.mode === 'development');
    const { auth } = offering.table;
    this.#bearer = auth && new Bearer(auth, this.#allowedHosts, offering.project.clock);
  }

  /** Set the connections that it serves; before the first request. */
  serve(connections: Connections): void {
    const posts = new Posts(this.#offering, this.#sessions, this.#bearer, connections);
    this.#serving = { connections, posts };
  }

  /** Attach the session that `ctx` reads session values from, before middlewares run. */
  visitor(req: HttpRequest): void {
    const visitor = new Visitor(() => {
      const identity = this.#identities.get(req);
      // A session may be used only once the token has been checked.
      if (this.#bearer && !identity) return undefined;
      return this.#served.connections.sessionOf(req, identity)?.values;
    }, sessionOf(req));
    attachSession(req, visitor);
  }

  readonly handler: Handler = async (req, res, ctx) => {
    const mistake = this.#allowedHosts.originOrHostMistake(req);
    if (mistake !== undefined) return sendRpcError(res, 403, mistake);
    allowPage(req, res);
    if (req.method === 'OPTIONS') return preflight(res);
    if (!METHODS.includes(req.method)) return notAllowed(res, METHODS);
    const identity = await this.#bearer?.identify(req, res, ctx);
    if (this.#bearer && !identity) return undefined;
    if (identity) this.#identities.set(req, identity);
    if (req.method === 'POST') {
      const answer = () => this.#served.posts.answer(req, res, ctx, identity);
      const visitor = sessionOf(req);
      return visitor instanceof Visitor ? visitor.answering(answer) : answer();
    }
    if (!this.#sessions) return notAllowed(res, ['POST']);
    const { connections } = this.#served;
    const session = connections.sessionOf(req, identity);
    if (!session) return noSession(req, res);
    if (req.method === 'GET') return connections.stopping.aborted ? stopping(res) : listen(req, res, session);
    await connections.sessions.end(session);
    return res.end();
  };

  /** Answers with where tokens come from, for any page to read; undefined where no authorization server issues them. */
  get metadata(): Handler | undefined {
    const bearer = this.#bearer;
    if (!bearer?.hasServers) return undefined;
    return (req, res) => {
      res.header('Access-Control-Allow-Origin', '*');
      const mistake = this.#allowedHosts.hostMistake(req);
      if (mistake !== undefined) return sendRpcError(res, 403, mistake);
      return res.json(bearer.metadata(req));
    };
  }

  get #served() {
    if (!this.#serving) throw new Error('MCP is asked before the project is served');
    return this.#serving;
  }
}

async function listen(req: HttpRequest, res: HttpResponse, session: HttpSession): Promise<void> {
  if (!/text\/event-stream|\*\/\*/.test(req.header('accept') ?? '*/*'))
    return sendRpcError(res, 406, 'This address answers GET with text/event-stream');
  releaseVersion(res);
  const stream = session.listen();
  try {
    await stream.pipe(res);
  } finally {
    session.left(stream);
  }
}
