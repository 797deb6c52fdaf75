import { type Clock, coded } from '../../../kernel/index.js';
import type { RuntimeCtx } from '../../../scope/index.js';
import { type HttpRequest, type HttpResponse, isHttpError } from '../../http/index.js';
import type { Identity } from '../definitions/call.js';
import { type Auth, isScopes } from '../definitions/definition.js';
import { isRequest, type Message } from '../sdk/transport.js';
import { findResource, membersOf, type Table } from '../table/table.js';

/** The names of this machine that no other machine can have. */
const LOCAL: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Name or address, and port (RFC 9110 §7.2), without text that a lax parser could read as a host. */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(?::\d*)?$/i;

/**
 * Checks the Host and Origin headers of requests (MCP, Streamable HTTP, Security Warning): a page of
 * another site can make its name resolve to this machine (DNS rebinding), which they reveal.
 */
export class AllowedHosts {
  readonly #configured: readonly string[];

  constructor(
    configured: readonly string[],
    private readonly isDevelopment: boolean,
  ) {
    this.#configured = configured.map((name) => name.toLowerCase());
  }

  /** Describes the problem with the Host or Origin header of a request; undefined if both are valid. */
  originOrHostMistake(req: HttpRequest): string | undefined {
    const { origin } = req.headers;
    const mistake = this.hostMistake(req);
    if (mistake !== undefined || origin === undefined || this.#allows(nameInOrigin(origin))) return mistake;
    return `Origin "${origin}" is not allowed. To allow it, add its host name to mcp.hosts in fwk.config.`;
  }

  /** Describes the problem with the Host header of a request; undefined if it is valid. */
  hostMistake({ headers: { host } }: Pick<HttpRequest, 'headers'>): string | undefined {
    if (this.#allows(nameInHost(host))) return undefined;
    return `Host "${host}" is not a name of this server. To allow it, add it to mcp.hosts in fwk.config.`;
  }

  /**
   * The URL of the endpoint, built from the configuration: a client cannot choose the audience of
   * tokens, except among the allowed names. Names in `mcp.hosts` mean HTTPS on the default port
   * (RFC 9728 §1.2). In production they also replace this machine's names, which proxies use.
   */
  endpoint({ headers: { host }, raw: { socket } }: Pick<HttpRequest, 'headers' | 'raw'>): string {
    const name = nameInHost(host);
    const [first] = this.#configured;
    if (this.#configured.includes(name)) return `https://${name}/mcp`;
    if (first !== undefined && !this.isDevelopment) return `https://${first}/mcp`;
    const scheme = 'encrypted' in socket && socket.encrypted === true ? 'https' : 'http';
    const { localPort } = socket;
    return new URL(`${scheme}://${name}${localPort === undefined ? '' : `:${localPort}`}/mcp`).href;
  }

  #allows(name: string): boolean {
    return LOCAL.has(name) || this.#configured.includes(name);
  }
}

const nameInHost = (host = ''): string => HOST.exec(host)?.[1]?.toLowerCase() ?? '';

const nameInOrigin = (origin: string): string => (URL.canParse(origin) ? new URL(origin).hostname : '');

/** The path of the metadata of a protected resource (RFC 9728 §3). */
export const METADATA_PATH = '/.well-known/oauth-protected-resource';

/** Checks the tokens of requests to one endpoint (RFC 6750). The Host header has already been checked. */
export class Bearer {
  /** The scopes that a login asks for: clients would never see a definition whose scopes it omits. */
  readonly #wanted: readonly string[];

  constructor(
    private readonly auth: Auth,
    private readonly allowedHosts: AllowedHosts,
    private readonly clock: Clock,
    private readonly table: Table,
  ) {
    this.#wanted = union(auth.scopes, ...membersOf(table).map(({ scopes }) => scopes));
  }

  /** Whether an authorization server issues the tokens. The metadata then names it. */
  get hasServers(): boolean {
    return this.auth.servers !== undefined;
  }

  /** The metadata document (RFC 9728 §2). */
  metadata(req: HttpRequest): object {
    const scopes = this.#wanted;
    return {
      resource: this.#resource(req),
      authorization_servers: this.auth.servers,
      ...(scopes.length > 0 ? { scopes_supported: scopes } : {}),
      bearer_methods_supported: ['header'],
    };
  }

  /** Identify the client; undefined if it was answered with 401 or 403. Rejects if `verify` throws. */
  async identify(req: HttpRequest, res: HttpResponse, ctx: RuntimeCtx): Promise<Identity | undefined> {
    const { scopes } = this.auth;
    const [, token] = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(req.header('authorization') ?? '') ?? [];
    if (token === undefined)
      return this.#challenge(req, res, this.#wanted, 'Send a token: Authorization: Bearer …');
    const identity = await this.#verify(token, ctx, req);
    if (typeof identity === 'string')
      return this.#challenge(req, res, this.#wanted, identity, 'invalid_token');
    if (isAllowed(identity, scopes)) return identity;
    return this.#forbidden(req, res, identity, scopes);
  }

  /** Whether a token has the scopes that the message needs. If not, the request was answered with 403. */
  mayAsk(message: Message, identity: Identity, req: HttpRequest, res: HttpResponse): boolean {
    const scopes = isRequest(message) ? scopesOf(message, this.table) : undefined;
    if (isAllowed(identity, scopes)) return true;
    this.#forbidden(req, res, identity, scopes);
    return false;
  }

  #resource(req: HttpRequest): string {
    return this.auth.resource ?? this.allowedHosts.endpoint(req);
  }

  #metadataUrl(req: HttpRequest): string {
    const { origin, pathname } = new URL(this.#resource(req));
    return `${origin}${METADATA_PATH}${pathname === '/' ? '' : pathname}`;
  }

  /** Resolves with the identity, or with the reason why there is none. */
  async #verify(token: string, ctx: RuntimeCtx, req: HttpRequest): Promise<Identity | string> {
    try {
      const identity = await this.auth.verify(token, ctx, { resource: this.#resource(req) });
      return identity && !hasExpired(checked(identity), this.clock) ? identity : NOT_VALID;
    } catch (thrown) {
      if (!isHttpError(thrown) || thrown.status !== 401) throw thrown;
      return thrown.message === 'HTTP 401' ? NOT_VALID : thrown.message;
    }
  }

  /** Also names the granted scopes: a new token replaces this one (MCP 2025-11-25, Scope Challenge Handling). */
  #forbidden(req: HttpRequest, res: HttpResponse, { scopes }: Identity, needed?: readonly string[]) {
    const granted = scopes?.filter((scope) => isScopes([scope]));
    return this.#challenge(req, res, union(granted, needed), NOT_ALLOWED, 'insufficient_scope');
  }

  /** Send the response that lets the client obtain a sufficient token (RFC 6750 §3, RFC 9728 §5.1). */
  #challenge(
    req: HttpRequest,
    res: HttpResponse,
    scopes: readonly string[],
    description: string,
    error?: 'invalid_token' | 'insufficient_scope',
  ): undefined {
    const status = error === 'insufficient_scope' ? 403 : 401;
    const parameters = [
      error && `error="${error}"`,
      scopes.length > 0 && `scope="${scopes.join(' ')}"`,
      this.hasServers && `resource_metadata="${this.#metadataUrl(req)}"`,
    ];
    res.status(status).header('WWW-Authenticate', `Bearer ${parameters.filter(Boolean).join(', ')}`.trim());
    res.json({ error: error ?? 'unauthorized', error_description: description });
  }
}

const union = (...lists: readonly (readonly string[] | undefined)[]): readonly string[] => [
  ...new Set(lists.flatMap((list) => list ?? [])),
];

const NOT_VALID = 'The token is invalid or has expired';
const NOT_ALLOWED = 'The token does not have the required scopes';

const hasExpired = ({ expiresAt }: Identity, clock: Clock): boolean =>
  expiresAt !== undefined && expiresAt <= clock.date() / 1000;

/**
 * Throws if an identity is invalid: clients without a subject would share sessions, a single string
 * of scopes would match its substrings, and a token whose expiry is not a number would never expire.
 */
function checked(identity: Identity): Identity {
  const { subject, scopes, expiresAt } = identity;
  const areScopes = Array.isArray(scopes) && scopes.every((one) => typeof one === 'string');
  let wrong: string | undefined;
  if (typeof subject !== 'string' || subject === '') wrong = 'subject is not a string that names the user';
  else if (scopes !== undefined && !areScopes) wrong = 'scopes is not a list of names';
  else if (expiresAt !== undefined && !Number.isFinite(expiresAt))
    wrong = 'expiresAt is not a number of seconds since the epoch';
  if (wrong === undefined) return identity;
  throw coded('FWK515', `verify() in mcp/auth returned an identity whose ${wrong}`);
}

const isAllowed = ({ scopes = [] }: Identity, needed: readonly string[] = []): boolean =>
  needed.every((scope) => scopes.includes(scope));

/** The scopes that a message needs, which the SDK has not checked yet. */
function scopesOf({ method, params }: Message, table: Table): readonly string[] {
  const { name, uri, notifications, ref } = Object(params);
  if (method === 'tools/call') return table.tools.get(String(name))?.tool.scopes ?? [];
  if (method === 'prompts/get') return promptScopes(name, table);
  if (method === 'resources/read' || method === 'resources/subscribe') return resourceScopes(uri, table);
  if (method === 'completion/complete')
    return [...promptScopes(Object(ref).name, table), ...resourceScopes(Object(ref).uri, table)];
  if (method !== 'subscriptions/listen') return [];
  const { resourceSubscriptions: uris } = Object(notifications);
  return Array.isArray(uris) ? uris.flatMap((one) => resourceScopes(one, table)) : [];
}

const promptScopes = (name: unknown, { prompts }: Table): readonly string[] =>
  prompts.get(String(name))?.prompt.scopes ?? [];

/** The scopes of the resource with that URI, or of the template with that text. */
function resourceScopes(uri: unknown, table: Table): readonly string[] {
  const entry = table.templates.get(String(uri)) ?? findResource(table, String(uri))?.entry;
  return entry?.resource.scopes ?? [];
}
