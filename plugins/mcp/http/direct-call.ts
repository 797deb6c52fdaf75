import { isObject } from '../../../kernel/index.js';
import type { HttpRequest } from '../../http/index.js';
import type { CallContext } from '../calls/call-context.js';
import type { Client } from '../calls/client.js';
import { callTool, type Params } from '../calls/methods.js';
import { runObserved } from '../calls/observe-calls.js';
import type { Outcome } from '../calls/outcome.js';
import type { Hub } from '../hub.js';

/** The version of the stateless protocol whose plain calls are answered in this file. */
const VERSION = '2026-07-28';
const META = 'io.modelcontextprotocol/';

export interface PlainCall {
  readonly id: string | number;
  readonly params: Params;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/**
 * Parse a request of the stateless protocol as a plain tool call: all headers are present and match
 * the body, and the client requests only the result. Returns undefined for all other requests,
 * including invalid ones. The SDK handles these, but it creates a server for each request, which
 * takes three times as long as the rest of a call.
 */
export function plainCallOf(req: HttpRequest, body: unknown): PlainCall | undefined {
  if (!isObject(body) || !hasOnly(body, MESSAGE) || body.jsonrpc !== '2.0' || body.method !== 'tools/call')
    return undefined;
  const { id, params } = body;
  if (!(typeof id === 'string' || Number.isSafeInteger(id)) || !isObject(params) || !hasOnly(params, PARAMS))
    return undefined;
  const { name, arguments: given, _meta: meta } = params;
  if (typeof name !== 'string' || !(given === undefined || isObject(given)) || !isObject(meta))
    return undefined;
  const capabilities = meta[`${META}clientCapabilities`];
  const isPlain =
    hasOnly(meta, ENVELOPE) &&
    meta[`${META}protocolVersion`] === VERSION &&
    isObject(capabilities) &&
    hasOnly(capabilities, CAPABILITIES) &&
    Object.values(capabilities).every(isEmpty) &&
    isNamed(meta[`${META}clientInfo`]) &&
    ACCEPTS.test(req.header('accept') ?? '') &&
    req.header('mcp-protocol-version') === VERSION &&
    req.header('mcp-method') === 'tools/call' &&
    // Any other name may be encoded.
    PLAIN_NAME.test(name) &&
    req.header('mcp-name') === name;
  return isPlain
    ? { id: id as PlainCall['id'], params: { ...Object(params) } as Params, capabilities }
    : undefined;
}

const MESSAGE = new Set(['jsonrpc', 'id', 'method', 'params']);
const PARAMS = new Set(['name', 'arguments', '_meta']);
const ENVELOPE = new Set([`${META}protocolVersion`, `${META}clientCapabilities`, `${META}clientInfo`]);
const CAPABILITIES = new Set(['elicitation', 'roots', 'sampling']);
const INFO = new Set(['name', 'title', 'version']);
/** The Accept header that the protocol requires of clients, in either order. */
const ACCEPTS = /^(?:application\/json, ?text\/event-stream|text\/event-stream, ?application\/json)$/;
const PLAIN_NAME = /^[\w.-]{1,128}$/;

const hasOnly = (value: object, keys: ReadonlySet<string>): boolean =>
  Object.keys(value).every((key) => keys.has(key));

const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;

const isNamed = (info: unknown): boolean =>
  info === undefined ||
  (isObject(info) &&
    hasOnly(info, INFO) &&
    Object.values(info).every((value) => typeof value === 'string') &&
    'name' in info &&
    'version' in info);

/** Call the tool. Never rejects: an error is thrown by the function that it resolves with. */
export async function runPlainCall(
  call: PlainCall,
  context: CallContext,
  req: HttpRequest,
  hub: Hub,
): Promise<() => Outcome> {
  const ended = context.begin();
  const client: Client = {
    get signal() {
      return req.signal;
    },
    capabilities: call.capabilities,
    // The call has neither a progress token nor a log level.
    progress: async () => {},
    log: async () => {},
    changed: (uri) => hub.resourceChanged(uri),
    send: undefined,
    answers: {},
  };
  try {
    const outcome = await runObserved('tools/call', callTool, context, call.params, client);
    return () => outcome;
  } catch (thrown) {
    return () => {
      throw thrown;
    };
  } finally {
    ended();
  }
}

/** The response text of a plain call with a typical result; undefined if the SDK must handle it. */
export function plainResponse(
  { id }: PlainCall,
  outcome: () => Outcome,
  { instructions: _, capabilities: __, ...serverInfo }: Hub['info'],
): string | undefined {
  try {
    const made = outcome();
    if (!('result' in made) || !isPlainResult(made.result)) return undefined;
    const result = {
      ...made.result,
      resultType: 'complete',
      _meta: { [`${META}serverInfo`]: serverInfo },
    };
    return JSON.stringify({ result, jsonrpc: '2.0', id });
  } catch {
    return undefined;
  }
}

const RESULT = new Set(['content', 'structuredContent', 'isError']);

const isPlainResult = (result: Readonly<Record<string, unknown>>): boolean =>
  hasOnly(result, RESULT) &&
  Array.isArray(result.content) &&
  result.content.every(isPlainText) &&
  (result.structuredContent === undefined || isObject(result.structuredContent)) &&
  (result.isError === undefined || typeof result.isError === 'boolean');

const isPlainText = (block: unknown): boolean =>
  isObject(block) &&
  block.type === 'text' &&
  typeof block.text === 'string' &&
  Object.keys(block).length === 2;
