import type { Target } from '../policy/findings.js';
import { fills, type ProbeRequest, withHeader } from './inquiry.js';

/** The two protocols: with sessions that a handshake begins, and without either. */
const WITH_SESSIONS = '2025-06-18';
const STATELESS = '2026-07-28';
const META = 'io.modelcontextprotocol/';
const CLIENT = { name: 'fwk-prove', version: '1' };
const HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

interface Method {
  readonly method: string;
  /** What the client names: a tool, a prompt, a URI. */
  readonly name: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The call that a member is there for. `path` is that of the route that a tool is, where it is one. */
function callOf({ member }: Target, path: string | undefined): Method {
  const { kind = 'tool', name = '' } = member ?? {};
  if (kind === 'prompt') return { method: 'prompts/get', name, params: { name, arguments: {} } };
  if (kind === 'resource') {
    const uri = name.replace(/\{[^}]*\}/g, 'x1');
    return { method: 'resources/read', name: uri, params: { uri } };
  }
  return { method: 'tools/call', name, params: { name, arguments: path === undefined ? {} : fills(path) } };
}

const post = (
  plain: ProbeRequest,
  message: object,
  headers: Readonly<Record<string, string>>,
): ProbeRequest => ({
  method: 'POST',
  target: plain.target,
  headers: Object.entries({ ...HEADERS, ...headers }).reduce(
    (all, [name, value]) => (name in all ? all : withHeader(all, name, value)),
    plain.headers,
  ),
  body: JSON.stringify({ jsonrpc: '2.0', ...message }),
});

/** The request that begins a session. */
export const initialize = (plain: ProbeRequest): ProbeRequest =>
  post(
    plain,
    {
      id: 1,
      method: 'initialize',
      params: { protocolVersion: WITH_SESSIONS, capabilities: {}, clientInfo: CLIENT },
    },
    {},
  );

/** The call of a member in a session; `undefined` where the server gave none. */
export function callInSession(
  plain: ProbeRequest,
  target: Target,
  path: string | undefined,
  session: string | undefined,
): ProbeRequest {
  const { method, params } = callOf(target, path);
  const headers = { 'Mcp-Protocol-Version': WITH_SESSIONS };
  return post(
    plain,
    { id: 2, method, params },
    session === undefined ? headers : { ...headers, 'Mcp-Session-Id': session },
  );
}

/** The call of a member in one request. */
export function statelessCall(plain: ProbeRequest, target: Target, path: string | undefined): ProbeRequest {
  const { method, name, params } = callOf(target, path);
  const meta = {
    [`${META}protocolVersion`]: STATELESS,
    [`${META}clientInfo`]: CLIENT,
    [`${META}clientCapabilities`]: {},
  };
  return post(
    plain,
    { id: 1, method, params: { ...params, _meta: meta } },
    { 'Mcp-Protocol-Version': STATELESS, 'Mcp-Method': method, 'Mcp-Name': name },
  );
}

/** The session that a response begins. */
export const sessionIn = (head: string): string | undefined => /^mcp-session-id: *(\S+)/im.exec(head)?.[1];

/** Whether a response is one of the endpoint's, which has accepted a client. */
export const isAccepted = (head: string): boolean =>
  sessionIn(head) !== undefined || /^content-type: *(?:text\/event-stream|application\/json)/im.test(head);
