import type { RuntimeCtx } from '../../kernel/index.js';
import { attachSession } from '../context/index.js';
import { type CloveRequest, type CloveResponse, type Handler, outliveGeneration } from '../http/index.js';
import { Bearer } from './bearer.js';
import type { Identity } from './call.js';
import type { Connections } from './connections.js';
import { Exchange, type Surface } from './exchange.js';
import { Hosts } from './hosts.js';
import { HttpSession } from './http-session.js';
import { readJson } from './read-json.js';
import { allowPage, METHODS, noSession, notAllowed, preflight, refuse } from './refusals.js';
import { Visitor } from './visitor.js';
import { isMessage, isRequest, type Message } from './wire.js';

export interface EndpointSettings {
  readonly sessions: boolean;
  readonly hosts: readonly string[];
}

/** The most messages of one batch. */
const BATCH = 100;

/** `/mcp` in one generation of a project. Clients and their sessions are in `connections`, which outlive it. */
export class Endpoint {
  readonly #surface: Surface;
  readonly #sessions: boolean;
  readonly #hosts: Hosts;
  /** Undefined where anybody may ask. */
  readonly #bearer: Bearer | undefined;
  readonly #identities = new WeakMap<CloveRequest, Identity>();
  #connections: Connections | undefined;

  constructor(surface: Surface, { sessions, hosts }: EndpointSettings) {
    this.#surface = surface;
    this.#sessions = sessions;
    this.#hosts = new Hosts(hosts, surface.project.mode === 'development');
    const { auth } = surface.table;
    this.#bearer = auth && new Bearer(auth, this.#hosts);
  }

  /** Say who is connected; before the first request. */
  serve(connections: Connections): void {
    this.#connections = connections;
  }

  /** Where `ctx` gets session values from, known before middlewares run. */
  visitor(req: CloveRequest): void {
    const visitor = new Visitor(() => {
      const identity = this.#identities.get(req);
      // Whose session it is counts only once the token has been checked.
      if (this.#bearer && !identity) return undefined;
      return this.#sessionOf(req, identity)?.values;
    });
    attachSession(req, visitor);
  }

  readonly handler: Handler = async (req, res, ctx) => {
    const mistake = this.#hosts.mistake(req);
    if (mistake !== undefined) return refuse(res, 403, mistake);
    allowPage(req, res);
    if (req.method === 'OPTIONS') return preflight(res);
    if (!METHODS.includes(req.method)) return notAllowed(res, METHODS);
    const identity = await this.#bearer?.identify(req, res, ctx);
    if (this.#bearer && !identity) return undefined;
    if (identity) this.#identities.set(req, identity);
    if (req.method === 'POST') return this.#post(req, res, ctx, identity);
    if (!this.#sessions) return notAllowed(res, ['POST']);
    const session = this.#sessionOf(req, identity);
    if (!session) return noSession(req, res);
    if (req.method === 'GET') return listen(req, res, session);
    await this.#connected.sessions.end(session);
    return res.end();
  };

  /** Where tokens come from, for any page to read; undefined where none are needed. */
  get metadata(): Handler | undefined {
    const bearer = this.#bearer;
    return (
      bearer &&
      ((req, res) => {
        res.header('Access-Control-Allow-Origin', '*');
        const mistake = this.#hosts.hostMistake(req);
        if (mistake !== undefined) return refuse(res, 403, mistake);
        return res.json(bearer.metadata(req));
      })
    );
  }

  async #post(
    req: CloveRequest,
    res: CloveResponse,
    ctx: RuntimeCtx,
    identity: Identity | undefined,
  ): Promise<void> {
    if (!/^application\/json\s*(;|$)/i.test(req.header('content-type') ?? ''))
      return refuse(res, 415, 'Content-Type is application/json');
    const body = await readJson(req);
    if (body === undefined) return refuse(res, 400, 'The body is not valid JSON', -32700);
    const messages = Array.isArray(body) ? body : [body];
    const { sdk, answerStateless } = await this.#connected.open();
    const { table } = this.#surface;
    const valid = messages.filter(isMessage);
    if (identity && !this.#bearer?.mayAsk(valid, identity, table, req, res)) return undefined;

    if (sdk.isStateless(req.method, (name) => req.header(name), body)) {
      const exchange = new Exchange(this.#surface, ctx, identity, undefined);
      const isStream = valid.some(({ method }) => method === 'subscriptions/listen');
      if (isStream) outliveGeneration(res);
      const signal = isStream ? AbortSignal.any([req.signal, this.#connected.stopping]) : req.signal;
      return sendResponse(await answerStateless(asRequest(req, signal), body, exchange), res);
    }

    if (valid.length < messages.length || messages.length === 0 || messages.length > BATCH)
      return refuse(
        res,
        400,
        `The body is no JSON-RPC message, and no list of 1 to ${BATCH} of them`,
        -32600,
      );
    const version = req.header('mcp-protocol-version');
    if (version !== undefined && !sdk.isKnownVersion(version))
      return refuse(res, 400, `There is no protocol version "${version}"`);

    const session = await this.#enter(req, res, valid, identity);
    if (!session) return undefined;
    const exchange = new Exchange(
      this.#surface,
      ctx,
      identity,
      this.#sessions ? session.sessionId : undefined,
    );
    await session.receive(valid, Array.isArray(body), res, exchange);
    if (!this.#sessions) await session.close();
  }

  /** The session that messages belong to: theirs, or one that they begin. Undefined when that has been refused. */
  async #enter(
    req: CloveRequest,
    res: CloveResponse,
    messages: readonly Message[],
    identity: Identity | undefined,
  ): Promise<HttpSession | undefined> {
    const { sessions } = this.#connected;
    const { sdk } = await this.#connected.open();
    if (!this.#sessions) {
      const once = new HttpSession('', identity?.subject);
      await sdk.connect(once);
      return once;
    }
    if (!messages.some(({ method }) => method === 'initialize'))
      return this.#sessionOf(req, identity) ?? noSession(req, res);
    if (messages.length > 1 || !isRequest(messages[0] ?? { jsonrpc: '2.0' }))
      return refuse(res, 400, 'A session is begun by a request of its own', -32600);
    const session = sessions.begin(identity?.subject);
    await sdk.connect(session);
    res.header('Mcp-Session-Id', session.sessionId);
    return session;
  }

  #sessionOf(req: CloveRequest, identity: Identity | undefined): HttpSession | undefined {
    const id = req.header('mcp-session-id');
    return id === undefined ? undefined : this.#connected.sessions.find(id, identity?.subject);
  }

  get #connected(): Connections {
    if (!this.#connections) throw new Error('MCP is asked before the project is served');
    return this.#connections;
  }
}

async function listen(req: CloveRequest, res: CloveResponse, session: HttpSession): Promise<void> {
  if (!/text\/event-stream|\*\/\*/.test(req.header('accept') ?? '*/*'))
    return refuse(res, 406, 'This address answers GET with text/event-stream');
  outliveGeneration(res);
  const stream = session.listen();
  await stream.pipe(res);
  session.left(stream);
}

/** What is whole is sent as a whole, without the work of a stream. */
async function sendResponse(response: Response, res: CloveResponse): Promise<void> {
  if (response.headers.get('content-type') !== 'application/json') return res.respond(response);
  res
    .status(response.status)
    .type('application/json')
    .send(await response.text());
}

/** The request as the SDK takes it. Its body has been read. */
const asRequest = (req: CloveRequest, signal: AbortSignal): Request =>
  new Request(req.url, {
    method: req.method,
    headers: new Headers(Object.entries(req.headers).map(([name, value]) => [name, String(value)])),
    signal,
  });
