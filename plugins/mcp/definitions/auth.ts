import type { RuntimeCtx } from '../../../scope/index.js';
import type { Identity } from './call.js';
import { define, isDefined } from './definition.js';

/** Who may use the endpoint: what `auth()` of `mcp/auth` takes. */
export interface Auth {
  /**
   * Issuers of tokens: the URLs of the authorization servers (RFC 9728 §2). Without it tokens are the app's own, such as
   * API keys: clients are told them by hand, and a 401 leads nowhere.
   */
  readonly servers?: readonly string[];
  /** The scopes that every token must allow. */
  readonly scopes?: readonly string[];
  /**
   * The URL of the endpoint as clients know it. Default: `https://<name>/mcp` of the name in `mcp.hosts` that is asked,
   * or in production of the first of them; where there are none, the address that the server listens on.
   */
  readonly resource?: string;
  /**
   * Returns the user of a token; nothing for one that is not valid, or `throw error(401, …)` to say why. Called with
   * every request. `resource` is what the token must have been issued for: compare it with the token's audience (RFC
   * 8707 §2).
   */
  verify(
    token: string,
    ctx: RuntimeCtx,
    about: { readonly resource: string },
  ): Identity | null | undefined | Promise<Identity | null | undefined>;
}

/**
 * Say who may ask, by a token: `export default auth({ verify })` in `mcp/auth`; with `servers` the endpoint is an OAuth
 * resource server.
 */
export function auth(definition: Auth): Auth {
  return define('auth', definition, ['verify']);
}

export const isAuth = (value: unknown): value is Auth => isDefined('auth', value);

/** The mistakes of a definition, one sentence each. */
export function authMistakes({ servers, scopes = [], resource }: Auth): string[] {
  const mistakes: string[] = [];
  if (
    servers !== undefined &&
    !(Array.isArray(servers) && servers.length > 0 && servers.every((server) => isIssuer(server)))
  )
    mistakes.push(
      `has servers ${JSON.stringify(servers)}. Give the https URL of at least one authorization server, or leave servers out: tokens are of the app itself then.`,
    );
  if (!isScopes(scopes))
    mistakes.push(`has scopes ${JSON.stringify(scopes)}. Give a list of names without spaces.`);
  if (resource !== undefined && !URL.canParse(resource))
    mistakes.push(
      `has resource ${JSON.stringify(resource)}. Give the full URL of the endpoint, or leave it out.`,
    );
  return mistakes;
}

/** Scope names as OAuth has them (RFC 6749 §3.3). */
export const isScopes = (scopes: unknown): scopes is readonly string[] =>
  Array.isArray(scopes) &&
  scopes.every((scope) => typeof scope === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));

/** Whether tokens of that server can be trusted: without TLS they could be forged on the way, but on this machine. */
function isIssuer(server: unknown): boolean {
  if (typeof server !== 'string' || !URL.canParse(server)) return false;
  const { protocol, hostname } = new URL(server);
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
