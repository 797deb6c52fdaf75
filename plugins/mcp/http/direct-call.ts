import { isObject } from '../../../kernel/index.js';
import type { HttpRequest } from '../../http/index.js';
import { type CallContext, type Client, logFailures } from '../calls/client.js';
import { callTool, type Params } from '../calls/methods.js';
import { runObserved } from '../calls/observe-calls.js';
import type { Hub } from '../hub.js';
import type { RequestId } from '../sdk/transport.js';
import type { Reply } from './event-stream.js';

/** The version of the stateless protocol whose plain calls are answered in this file. */
const VERSION = '2026-07-28';
const META = 'io.modelcontextprotocol/';

export interface PlainCall {
  readonly id: RequestId;
  readonly params: Params;
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Present if the client asked for progress notifications. */
  readonly progressToken: RequestId | undefined;
  /** The least severe level of log messages that the client asked for, as an index of `LEVELS`. */
  readonly logLevel: number;
}

/** From least to most severe (RFC 5424 §6.2.1). */
const LEVELS = 'debug info notice warning error critical alert emergency'.split(' ') as readonly unknown[];

/**
 * Parse a request of the stateless protocol as a plain tool call: all headers are present and match
 * the body. Other members of `_meta`, and the client's capabilities, are data. Returns undefined for
 * all other requests, including invalid ones. The SDK handles these, but it creates a server for each
 * request, which takes three times as long as the rest of a call.
 */
export function plainCallOf(req: HttpRequest, body: unknown): PlainCall | undefined {
  if (!isObject(body) || !hasOnly(body, MESSAGE) || body.jsonrpc !== '2.0' || body.method !== 'tools/call')
    return undefined;
  const { id, params } = body;
  if (!isId(id) || !isObject(params) || !hasOnly(params, PARAMS)) return undefined;
  const { name, arguments: given, _meta: meta } = params;
  if (typeof name !== 'string' || !(given === undefined || isObject(given)) || !isObject(meta))
    return undefined;
  const { progressToken, [`${META}clientCapabilities`]: capabilities, [`${META}clientInfo`]: info } = meta;
  const level = meta[`${META}logLevel`];
  const logLevel = level === undefined ? LEVELS.length : LEVELS.indexOf(level);
  const isPlain =
    meta[`${META}protocolVersion`] === VERSION &&
    logLevel >= 0 &&
    isObject(capabilities) &&
    (info === undefined || isNamed(info)) &&
    (progressToken === undefined || isId(progressToken)) &&
    ACCEPTS.test(req.header('accept') ?? '') &&
    req.header('mcp-protocol-version') === VERSION &&
    req.header('mcp-method') === 'tools/call' &&
    // Any other name may be encoded.
    PLAIN_NAME.test(name) &&
    req.header('mcp-name') === name;
  if (!isPlain) return undefined;
  return { id, params: { ...Object(params) } as Params, capabilities, progressToken, logLevel };
}

const MESSAGE = new Set(['jsonrpc', 'id', 'method', 'params']);
const PARAMS = new Set(['name', 'arguments', '_meta']);
/** The Accept header that the protocol requires of clients, in either order. */
const ACCEPTS = /^(?:application\/json, ?text\/event-stream|text\/event-stream, ?application\/json)$/;
const PLAIN_NAME = /^[\w.-]{1,128}$/;

const hasOnly = (value: object, keys: ReadonlySet<string>): boolean =>
  Object.keys(value).every((key) => keys.has(key));

const isId = (value: unknown): value is RequestId => typeof value === 'string' || Number.isSafeInteger(value);

const isNamed = (info: unknown): boolean =>
  isObject(info) && typeof info.name === 'string' && typeof info.version === 'string';

/**
 * Call the tool. Resolves with the text of the response, or with undefined if the SDK must write the
 * response, because the outcome, in `context`, is unusual.
 */
export async function runPlainCall(
  { id, params, capabilities, progressToken, logLevel }: PlainCall,
  context: CallContext,
  req: HttpRequest,
  hub: Hub,
  reply: Reply,
): Promise<string | undefined> {
  const ended = context.begin();
  let hasEnded = false;
  const client: Client = {
    get signal() {
      return req.signal;
    },
    capabilities,
    async progress(progress, total, message) {
      if (progressToken === undefined || hasEnded) return;
      const params = { progressToken, progress, total, message };
      reply.send({ jsonrpc: '2.0', method: 'notifications/progress', params });
    },
    async log(level, data, logger) {
      if (hasEnded || LEVELS.indexOf(level) < logLevel) return;
      try {
        reply.send({ jsonrpc: '2.0', method: 'notifications/message', params: { level, data, logger } });
      } catch (thrown) {
        // Handlers rarely await this function, and its data may have no JSON.
        logFailures(context.offering.project)(thrown as Error);
      }
    },
    changed: (uri) => hub.resourceChanged(uri),
    send: undefined,
    answers: {},
  };
  try {
    const outcome = await runObserved('tools/call', callTool, context, params, client);
    context.outcome = () => outcome;
    return 'result' in outcome && isPlainResult(outcome.result)
      ? responseText(id, outcome.result, hub)
      : undefined;
  } catch (thrown) {
    context.outcome ??= () => {
      throw thrown;
    };
    return undefined;
  } finally {
    hasEnded = true;
    ended();
  }
}

/** Throws if a member of the result cannot be serialized. */
function responseText(
  id: RequestId,
  { _meta, ...rest }: Readonly<Record<string, unknown>>,
  { info }: Hub,
): string {
  const { instructions: _, capabilities: __, ...serverInfo } = info;
  const meta = { ...Object(_meta), [`${META}serverInfo`]: serverInfo };
  return JSON.stringify({ result: { ...rest, resultType: 'complete', _meta: meta }, jsonrpc: '2.0', id });
}

const RESULT = new Set(['content', 'structuredContent', 'isError', '_meta']);

const isPlainResult = (result: Readonly<Record<string, unknown>>): boolean =>
  hasOnly(result, RESULT) &&
  Array.isArray(result.content) &&
  result.content.every(isPlainText) &&
  (result.structuredContent === undefined || isObject(result.structuredContent)) &&
  (result.isError === undefined || typeof result.isError === 'boolean') &&
  (result._meta === undefined || isObject(result._meta));

const isPlainText = (block: unknown): boolean =>
  isObject(block) &&
  block.type === 'text' &&
  typeof block.text === 'string' &&
  Object.keys(block).length === 2;
