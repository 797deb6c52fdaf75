import type { RuntimeCtx } from '../../../scope/index.js';
import type { Identity } from './call.js';
import { define, isDefined } from './definition.js';

/** The definition that `auth()` in `mcp/auth` takes: who may use the endpoint. */
export interface Auth {
  /**
   * Token issuers: the URLs of the authorization servers (RFC 9728 §2). Without `servers`, the app
   * issues its own tokens, such as API keys: users configure them in their clients by hand, and a
   * 401 response does not point to an authorization server.
   */
  readonly servers?: readonly string[];
  /** The scopes that every token must include. */
  readonly scopes?: readonly string[];
  /**
   * The URL of the endpoint as clients know it. Default: `https://<name>/mcp`, where `<name>` is
   * the requested name if it is in `mcp.hosts`, or in production the first of `mcp.hosts`; if
   * `mcp.hosts` is empty, the address that the server listens on.
   */
  readonly resource?: string;
  /**
   * Returns the user of a token, or nothing if the token is invalid; use `throw error(401, …)` to
   * give the reason. Called for every request. `resource` is the URL that the token must have been
   * issued for: compare it with the token's audience (RFC 8707 §2).
   */
  verify(
    token: string,
    ctx: RuntimeCtx,
    about: { readonly resource: string },
  ): Identity | null | undefined | Promise<Identity | null | undefined>;
}

/**
 * Require a token: `export default auth({ verify })` in `mcp/auth`. With `servers`, the endpoint
 * becomes an OAuth resource server.
 */
export function auth(definition: Auth): Auth {
  return define('auth', definition, 'verify', ['servers', 'scopes', 'resource']);
}

export const isAuth = (value: unknown): value is Auth => isDefined('auth', value);

/** The mistakes in a definition, one sentence each. */
export function authMistakes({ servers, scopes = [], resource }: Auth): string[] {
  const mistakes: string[] = [];
  if (
    servers !== undefined &&
    !(Array.isArray(servers) && servers.length > 0 && servers.every((server) => isIssuer(server)))
  )
    mistakes.push(
      `has servers ${JSON.stringify(servers)}. Give the https URL of at least one authorization server, or omit servers if the app issues its own tokens.`,
    );
  if (!isScopes(scopes))
    mistakes.push(`has scopes ${JSON.stringify(scopes)}. Give a list of names without spaces.`);
  if (resource !== undefined && !URL.canParse(resource))
    mistakes.push(`has resource ${JSON.stringify(resource)}. Give the full URL of the endpoint, or omit it.`);
  return mistakes;
}

/** Whether these are valid scope names in OAuth (RFC 6749 §3.3). */
export const isScopes = (scopes: unknown): scopes is readonly string[] =>
  Array.isArray(scopes) &&
  scopes.every((scope) => typeof scope === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));

/** Whether this server's tokens can be trusted: over TLS, or on this machine, nobody forges them. */
function isIssuer(server: unknown): boolean {
  if (typeof server !== 'string' || !URL.canParse(server)) return false;
  const { protocol, hostname } = new URL(server);
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
