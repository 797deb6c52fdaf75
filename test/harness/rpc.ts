import { type Answer, request } from './http.js';

// Raw MCP: for messages that no client sends, and for reading responses unchanged.

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'tests', version: '1' },
};

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

type Headers = Readonly<Record<string, string>>;

/** Posts a message to the endpoint. */
export const post = (url: string, message: unknown, headers: Headers = {}): Promise<Answer> =>
  request(url, '/mcp', {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });

/** A request of JSON-RPC. */
export const rpc = (method: string, params: object = {}, id = 1) => ({ jsonrpc: '2.0', id, method, params });

export const initialize = rpc('initialize', INITIALIZE, 0);

/** Begins a session; gives the header that names it. */
export async function begin(
  url: string,
  headers: Headers = {},
): Promise<{ readonly 'mcp-session-id': string }> {
  const answer = await post(url, initialize, headers);
  const id = answer.headers['mcp-session-id'];
  if (answer.status !== 200 || typeof id !== 'string')
    throw new Error(`No session: ${answer.status} ${answer.text}`);
  const session = { 'mcp-session-id': id };
  await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, { ...headers, ...session });
  return session;
}

/** Calls a tool in a session; gives its first text. */
export async function call(
  url: string,
  name: string,
  args: object = {},
  headers: Headers = {},
): Promise<string> {
  const answer = await post(url, rpc('tools/call', { name, arguments: args }), headers);
  const { result } = answer.json as { result?: { content: { text: string }[] } };
  return result?.content[0]?.text ?? `${answer.status} ${answer.text}`;
}

/** The headers and `_meta` of a request in the stateless protocol. */
export const stateless = (
  method: string,
  params: { readonly name?: string; readonly [more: string]: unknown } = {},
) =>
  [
    rpc(method, {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    }),
    {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(params.name === undefined ? {} : { 'mcp-name': params.name }),
    },
  ] as const;
