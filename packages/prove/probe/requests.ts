import type { Target } from '../policy/findings.js';

/** The header that identifies a request, so that a raised flag names it. */
export const MARK = 'x-fwk-probe';

export type Headers = Readonly<Record<string, string>>;

export interface ProbeRequest {
  readonly method: string;
  /** Sent unchanged, even if it is malformed. */
  readonly target: string;
  /** By name in lower case. */
  readonly headers: Headers;
  readonly body?: string;
}

/** A handshake (RFC 6455 §4.1). */
const HANDSHAKE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** The plainest request that a visitor with `headers` would send. `ALL` is requested with POST. */
export function plainRequest(
  { kind, method, path }: Pick<Target, 'kind' | 'method' | 'path'>,
  headers: Headers,
): ProbeRequest {
  const own = { host: 'localhost', ...(kind === 'ws' ? HANDSHAKE : {}), ...headers };
  return withMethod({ method, target: path, headers: own }, method === 'ALL' ? 'POST' : method);
}

export function withMethod({ target, headers }: ProbeRequest, method: string): ProbeRequest {
  if (!WITH_BODY.has(method)) return { method, target, headers };
  return { method, target, headers: { 'content-type': 'application/json', ...headers }, body: '{}' };
}

/** The value of each parameter. */
export const FILL = 'x1';
const filling = (kind = ''): string => (kind === '*' ? `${FILL}/${FILL}` : FILL);
export const filled = (path: string): string =>
  path.replace(/\/([:*])[^/]*/g, (_, kind) => `/${filling(kind)}`) || '/';
const fills = (path: string): Record<string, string> =>
  Object.fromEntries([...path.matchAll(/\/([:*])([^/]*)/g)].map(([, kind, name]) => [name, filling(kind)]));

/** The versions of MCP with a handshake, which clients of `/mcp` itself send, and without one. */
const WITH_HANDSHAKE = '2025-06-18';
const STATELESS = '2026-07-28';
const META = 'io.modelcontextprotocol/';
const CLIENT = { name: 'fwk-prove', version: '1' };
const MCP_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** A message to MCP. The visitor's headers go before these. */
const post = ({ target, headers }: ProbeRequest, message: object, more: Headers): ProbeRequest => ({
  method: 'POST',
  target,
  headers: { ...MCP_HEADERS, ...more, ...headers },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
});

export const initialize = (plain: ProbeRequest): ProbeRequest => {
  const params = { protocolVersion: WITH_HANDSHAKE, capabilities: {}, clientInfo: CLIENT };
  return post(plain, { method: 'initialize', params }, {});
};

/** The call of a member of `/mcp`. `path`: of the route, if the tool is one. */
export function memberCall(plain: ProbeRequest, { member }: Target, path: string | undefined): ProbeRequest {
  const { kind = 'tool', name = '' } = member ?? {};
  if (kind === 'prompt') return stateless(plain, 'prompts/get', { name, arguments: {} }, name);
  const uri = name.replace(/\{[^}]*\}/g, FILL);
  if (kind === 'resource') return stateless(plain, 'resources/read', { uri }, uri);
  return stateless(plain, 'tools/call', { name, arguments: path === undefined ? {} : fills(path) }, name);
}

export const toolList = (plain: ProbeRequest): ProbeRequest => stateless(plain, 'tools/list', {});

function stateless(plain: ProbeRequest, method: string, params: object, name?: string): ProbeRequest {
  const _meta = {
    [`${META}protocolVersion`]: STATELESS,
    [`${META}clientInfo`]: CLIENT,
    [`${META}clientCapabilities`]: {},
  };
  const named: Headers = name === undefined ? {} : { 'mcp-name': name };
  const headers = { 'mcp-protocol-version': STATELESS, 'mcp-method': method, ...named };
  return post(plain, { method, params: { ...params, _meta } }, headers);
}
