import type { RuntimeCtx } from '../../kernel/index.js';
import type { CloveRequest, CloveResponse } from '../http/index.js';
import type { Auth } from './auth.js';
import type { Identity } from './call.js';
import { findResource, type Table } from './table.js';
import { isRequest, type Message } from './wire.js';

/** Where the metadata of a protected resource is (RFC 9728 §3). */
export const METADATA_PATH = '/.well-known/oauth-protected-resource';

/** The endpoint as its clients know it. */
const resourceOf = ({ resource }: Auth, req: CloveRequest): string => resource ?? `${req.url.origin}/mcp`;

/** The metadata document (RFC 9728 §2). */
export function metadataOf(auth: Auth, req: CloveRequest): object {
  return {
    resource: resourceOf(auth, req),
    authorization_servers: auth.servers,
    ...(auth.scopes ? { scopes_supported: auth.scopes } : {}),
    bearer_methods_supported: ['header'],
  };
}

/** Who asks. Undefined when the request has been refused for not saying so. */
export async function identify(
  auth: Auth,
  req: CloveRequest,
  res: CloveResponse,
  ctx: RuntimeCtx,
): Promise<Identity | undefined> {
  const [, token] = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(req.header('authorization') ?? '') ?? [];
  if (token === undefined) return challenge(auth, req, res, 401, undefined, auth.scopes);
  const identity = await auth.verify(token, ctx, { resource: resourceOf(auth, req) });
  const isOver = identity?.expiresAt !== undefined && identity.expiresAt <= Date.now() / 1000;
  if (!identity || isOver) return challenge(auth, req, res, 401, 'invalid_token', auth.scopes);
  return isAllowed(identity, auth.scopes)
    ? identity
    : challenge(auth, req, res, 403, 'insufficient_scope', auth.scopes);
}

/** Whether a token allows what the messages ask for. False when the request has been refused. */
export function mayAsk(
  messages: readonly Message[],
  identity: Identity,
  { auth, ...table }: Table,
  req: CloveRequest,
  res: CloveResponse,
): boolean {
  for (const message of messages) {
    const scopes = isRequest(message) ? scopesOf(message, { auth, ...table }) : undefined;
    if (!auth || isAllowed(identity, scopes)) continue;
    challenge(auth, req, res, 403, 'insufficient_scope', scopes);
    return false;
  }
  return true;
}

const isAllowed = ({ scopes = [] }: Identity, needed: readonly string[] = []): boolean =>
  needed.every((scope) => scopes.includes(scope));

/** What the tool, resource or prompt that a request names needs. */
function scopesOf({ method, params }: Message, table: Table): readonly string[] | undefined {
  const name = String(params?.name);
  if (method === 'tools/call') return table.tools.get(name)?.tool.scopes;
  if (method === 'prompts/get') return table.prompts.get(name)?.prompt.scopes;
  if (method === 'resources/read' || method === 'resources/subscribe')
    return findResource(table, String(params?.uri))?.entry.resource.scopes;
  return undefined;
}

/** Refuse with what the client needs to get a token that would do (RFC 6750 §3, RFC 9728 §5.1). */
function challenge(
  auth: Auth,
  req: CloveRequest,
  res: CloveResponse,
  status: 401 | 403,
  error: 'invalid_token' | 'insufficient_scope' | undefined,
  scopes: readonly string[] = [],
): undefined {
  const { origin, pathname } = new URL(resourceOf(auth, req));
  const parameters = [
    error && `error="${error}"`,
    scopes.length > 0 && `scope="${scopes.join(' ')}"`,
    `resource_metadata="${origin}${METADATA_PATH}${pathname === '/' ? '' : pathname}"`,
  ];
  res.status(status).header('WWW-Authenticate', `Bearer ${parameters.filter(Boolean).join(', ')}`);
  res.json({ error: error ?? 'unauthorized', error_description: DESCRIPTIONS[error ?? 'none'] });
}

const DESCRIPTIONS = {
  none: 'Send a token: Authorization: Bearer …',
  invalid_token: 'The token is not valid here, or is over',
  insufficient_scope: 'The token does not allow this',
};
