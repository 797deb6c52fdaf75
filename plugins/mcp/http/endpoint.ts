import type { BaseRoute, Project } from '../../../kernel/index.js';
import { readPackage } from '../../../loader/index.js';
import { attachSession, sessionOf } from '../../context/internal.js';
import {
  type Fallback,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  type HttpRoute,
  httpRoute,
  isHttpRoute,
} from '../../http/index.js';
import { releaseVersion } from '../../http/internal.js';
import type { Offering } from '../calls/client.js';
import type { Identity } from '../definitions/call.js';
import type { Hub } from '../hub.js';
import type { McpSettings } from '../options.js';
import { authOf } from '../table/names.js';
import { membersOf } from '../table/table.js';
import { Visitor } from '../visitor.js';
import { AllowedHosts, Bearer, METADATA_PATH } from './access.js';
import type { Connections, HttpSession } from './connections.js';
import { noSession, notAllowed, Posts, sendRpcError, stopping } from './posts.js';

/** The media type of a card. */
const CARD = 'application/mcp-server-card+json';
/** The media types of the documents that describe the server to clients before they connect, by their paths. */
const CARD_TYPES: ReadonlyMap<string, string> = new Map([
  ['/mcp/server-card', CARD],
  ['/.well-known/ai-catalog.json', 'application/ai-catalog+json'],
]);

/** A card (SEP-2127), or the catalog that lists it. `url`: the URL of the endpoint. `root`: the folder of package.json. */
function describeServer(type: string, { name, version, title }: Hub['info'], url: string, root: string) {
  const { hostname } = new URL(url);
  // A name consists of the domain, backward, and a name of letters, digits, ".", "_" and "-".
  const short = name.replace(/^@[^/]*\//, '').replace(/[^\w.-]/g, '-');
  const labels = hostname.replace(/[^\w.-]/g, '').split('.');
  const { description } = readPackage(root) ?? {};
  if (type !== CARD) {
    const identifier = `urn:air:${hostname}:${short}`;
    const entry = { identifier, displayName: title ?? short, type: CARD, url: `${url}/server-card` };
    return { specVersion: '0.9', entries: [entry] };
  }
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json',
    name: `${labels.reverse().join('.')}/${short}`,
    version,
    description: (typeof description === 'string' && description.slice(0, 100)) || short,
    ...(title === undefined ? {} : { title }),
    remotes: [{ type: 'streamable-http', url }],
  };
}

const METHODS = ['POST', 'GET', 'DELETE'];

/** The `/mcp` endpoint of one version of a project. Its clients in `connections` outlive the version. */
export class Endpoint {
  readonly #sessions: boolean;
  readonly #allowedHosts: AllowedHosts;
  /** Undefined if no token is required. */
  readonly #bearer: Bearer | undefined;
  readonly #identities = new WeakMap<HttpRequest, Identity>();
  #serving: { readonly connections: Connections; readonly posts: Posts } | undefined;

  constructor(
    private readonly offering: Offering,
    { sessions, hosts }: McpSettings,
  ) {
    this.#sessions = sessions !== false;
    this.#allowedHosts = new AllowedHosts(hosts, offering.project.mode === 'development');
    const { table, project } = offering;
    this.#bearer = table.auth && new Bearer(table.auth, this.#allowedHosts, project.clock, table);
  }

  serve(connections: Connections): void {
    const posts = new Posts(this.offering, this.#sessions, this.#bearer, connections);
    this.#serving = { connections, posts };
  }

  readonly originOf = (req: HttpRequest): string => new URL(this.#allowedHosts.endpoint(req)).origin;

  /** Attach the session that `ctx` reads session values from, before middlewares run. */
  visitor(req: HttpRequest): void {
    const visitor = new Visitor(() => {
      const identity = this.#identities.get(req);
      // A session may only be used after the token has been checked.
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

  /** Serves the authorization metadata to any origin; undefined if no server issues tokens. */
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

  /** Sends the documents that describe the server to any origin, outside middlewares and authorization. */
  readonly fallback: Fallback = ({ raw, method, path }, res) => {
    const type = CARD_TYPES.get(path);
    if (type === undefined || (method !== 'GET' && method !== 'HEAD')) return false;
    res.header('Access-Control-Allow-Origin', '*');
    const mistake = this.#allowedHosts.hostMistake(raw);
    if (mistake !== undefined) sendRpcError(res, 403, mistake);
    else {
      const url = this.#allowedHosts.endpoint({ headers: raw.headers, raw });
      const { root } = this.offering.project;
      const document = describeServer(type, this.#served.connections.hub.info, url, root);
      res.type(type).header('Cache-Control', 'public, max-age=3600').send(JSON.stringify(document));
    }
    return true;
  };

  get #served() {
    if (!this.#serving) throw new Error('MCP received a request before the project was ready to serve');
    return this.#serving;
  }
}

async function listen(req: HttpRequest, res: HttpResponse, session: HttpSession): Promise<void> {
  if (!/text\/event-stream|\*\/\*/.test(req.header('accept') ?? '*/*'))
    return sendRpcError(res, 406, 'GET requests to this URL must accept text/event-stream');
  releaseVersion(res);
  const stream = session.listen();
  try {
    await stream.pipe(res);
  } finally {
    session.left(stream);
  }
}

/** The routes of an endpoint: the endpoint itself, and the routes that serve the authorization metadata. */
export function routesOf(
  { project, table }: Offering,
  { handler, metadata }: Endpoint,
  bodyLimit: number,
): HttpRoute[] {
  const hasDirectory = project.entries.some(({ file }) => file.startsWith('mcp/'));
  const endpoint = httpRoute({
    kind: 'mcp',
    // Directory middlewares run for routes below the directory, which is missing without files.
    file: hasDirectory ? 'mcp/' : 'plugin "mcp"',
    method: 'ALL',
    path: '/mcp',
    // The endpoint reads the body after it has checked the origin and the token. A call has no
    // timeout, because the duration depends on its tool: clients cancel calls.
    meta: { body: 'stream', bodyLimit, csrf: false, timeout: 0 },
    handler,
  });
  const unused = 'would never run: /mcp is one route. Move it to mcp/, where it runs for every request.';
  for (const { file } of project.files('directory-middleware'))
    if (/^mcp\/.+\//.test(file)) project.report(file, unused, 'FWK114');

  const listed = { ...endpoint, label: 'MCP /mcp', members: membersOf(table) };
  const file = authOf(project);
  if (!metadata || file === undefined) return [listed];
  const wellKnown = [METADATA_PATH, `${METADATA_PATH}/mcp`].map((path) =>
    httpRoute({ kind: 'mcp-auth', file, method: 'GET', path, meta: {}, handler: metadata }),
  );
  return [listed, ...wellKnown];
}

/** Report other routes of `/mcp`: a route for a single method would hide the endpoint for that method. */
export function reportNeighbours(routes: readonly BaseRoute[], project: Project): void {
  for (const route of routes)
    if (isHttpRoute(route) && route.path === '/mcp' && route.kind !== 'mcp')
      project.report(
        route.file,
        `serves ${route.label}, which is the endpoint of mcp/. Rename it.`,
        'FWK517',
      );
}

/** Allow the page to read the response; its origin has been checked (Fetch Standard, CORS protocol). */
function allowPage(req: HttpRequest, res: HttpResponse): void {
  const origin = req.header('origin');
  if (origin === undefined) return;
  res.header('Access-Control-Allow-Origin', origin).header('Vary', 'Origin');
  res.header('Access-Control-Expose-Headers', 'Mcp-Session-Id, WWW-Authenticate');
}

function preflight(res: HttpResponse): void {
  res.header('Access-Control-Allow-Methods', METHODS.join(', ')).header('Access-Control-Max-Age', 86_400);
  res.header('Access-Control-Allow-Headers', ALLOWED_HEADERS);
  res.end();
}

const ALLOWED_HEADERS =
  'Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name';
