import { eventsOf, type Jsonify } from '../../client/internal.js';
import { isObject } from '../../kernel/index.js';
import type { In, Out, StandardSchema } from '../../plugins/http/index.js';
import type { FromJsonSchema, Tools } from '../../plugins/mcp/index.js';
import { explained, testError } from '../test-error.js';
import { refusalOf } from './queue.js';

/** One item of a result or a prompt: `{ type: 'text', text }`, an image, audio, a link, a resource. */
export interface TestMcpContent {
  readonly type: string;
  readonly text?: string;
  readonly [more: string]: unknown;
}

/** The result of a tool call. A failed call is a result, too, with `isError`. */
export interface TestToolResult<Structured = Readonly<Record<string, unknown>>> {
  readonly content: readonly TestMcpContent[];
  /** For a tool with a schema for `output`. */
  readonly structuredContent?: Structured;
  readonly isError?: boolean;
  /** The texts of `content`, one per line. */
  readonly text: string;
}

/** An entry of a list: a tool, a prompt or a resource. */
export interface TestMcpEntry {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** For a tool: the JSON Schema of its arguments. */
  readonly inputSchema?: object;
  /** For a resource. */
  readonly uri?: string;
  readonly [more: string]: unknown;
}

/** Options of one call of a TestMcp. */
export interface TestMcpOptions {
  /** Headers of the requests of this call: `{ authorization: 'Bearer …' }`. Calls with the same headers share a session. */
  readonly headers?: Readonly<Record<string, string>>;
}

type Given = Readonly<Record<string, unknown>>;

/** A client of `/mcp`. Its first call begins a session. Calls reject with a TestMcpError, or a TestRefusal if there is no result. */
export interface TestMcp {
  /**
   * Call a tool, typed by `mcp/tools/`. `callTool<string>(…)` skips the types, for arguments that are wrong on purpose, or a tool whose
   * name a route or code defines.
   */
  // A default for a parameter: the compiler would resolve `Name` in a conditional type by checking all tools.
  readonly callTool: <const Name extends string, Tool = ToolAt<Name>>(
    name: Name,
    ...rest: ToolArguments<Tool, TestMcpOptions>
  ) => Promise<TestToolResult<StructuredOf<Tool>>>;
  readonly listTools: (options?: TestMcpOptions) => Promise<readonly TestMcpEntry[]>;
  readonly readResource: (
    uri: string,
    options?: TestMcpOptions,
  ) => Promise<readonly { readonly uri: string; readonly text?: string; readonly blob?: string }[]>;
  readonly listResources: (options?: TestMcpOptions) => Promise<readonly TestMcpEntry[]>;
  readonly getPrompt: (
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: TestMcpOptions,
  ) => Promise<{
    readonly description?: string;
    readonly messages: readonly { readonly role: string; readonly content: TestMcpContent }[];
  }>;
  readonly listPrompts: (options?: TestMcpOptions) => Promise<readonly TestMcpEntry[]>;
  /** Send any request of the protocol, and return its result. */
  readonly request: (method: string, params?: Given, options?: TestMcpOptions) => Promise<Given>;
}

/** The error with which the endpoint answered (JSON-RPC 2.0 §5.1). */
export class TestMcpError extends Error {
  override readonly name = 'TestMcpError';

  constructor(
    message: string,
    /** The JSON-RPC error code, such as -32602. */
    readonly code: number,
    readonly data: unknown,
  ) {
    super(explained('FWK906', message));
  }
}

const VERSION = '2025-11-25';
type Post = (body: Given, headers: Readonly<Record<string, string>>) => Promise<Response>;

/** A client of the endpoint that `post` sends messages to. */
export function testMcp(post: Post): TestMcp {
  const sessions = new Map<string, Promise<Readonly<Record<string, string>>>>();
  let id = 0;

  const ask = async (method: string, params: Given, headers: Readonly<Record<string, string>>) => {
    id += 1;
    const message = { jsonrpc: '2.0', id, method, params };
    const response = await post(message, { accept: 'application/json, text/event-stream', ...headers });
    return { result: await resultOf(response, message.id, `MCP ${method}`), response };
  };

  const begin = async (own: Readonly<Record<string, string>>) => {
    const params = {
      protocolVersion: VERSION,
      capabilities: {},
      clientInfo: { name: 'fwkit/testing', version: '1' },
    };
    const { response } = await ask('initialize', params, own);
    const session = response.headers.get('mcp-session-id');
    const headers = {
      ...own,
      'mcp-protocol-version': VERSION,
      ...(session === null ? {} : { 'mcp-session-id': session }),
    };
    const told = await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
    await told.body?.cancel();
    return headers;
  };

  const request: TestMcp['request'] = async (method, params = {}, { headers = {} } = {}) => {
    const key = JSON.stringify(Object.entries(headers).sort());
    const session = sessions.get(key) ?? begin(headers);
    sessions.set(key, session);
    // Forget a failed initialization, because the next call may succeed.
    session.catch(() => sessions.delete(key));
    return (await ask(method, params, await session)).result;
  };
  const list = async (kind: string, options?: TestMcpOptions) => {
    const all: TestMcpEntry[] = [];
    for (let cursor: unknown; ; ) {
      const page = await request(`${kind}/list`, cursor === undefined ? {} : { cursor }, options);
      all.push(...(page[kind] as TestMcpEntry[]));
      cursor = page.nextCursor;
      if (cursor === undefined) return all;
    }
  };
  const callTool = async (
    name: string,
    args: Given = {},
    options?: TestMcpOptions,
  ): Promise<TestToolResult> => {
    const result = await request('tools/call', { name, arguments: args }, options);
    const content = result.content as TestToolResult['content'];
    const text = content.flatMap(({ text: piece }) => piece ?? []).join('\n');
    return { ...result, content, text };
  };
  // The results have the members that the protocol defines, because fwk's own server made them.
  return {
    request,
    callTool: callTool as TestMcp['callTool'],
    listTools: (options) => list('tools', options),
    async readResource(uri, options) {
      const { contents } = await request('resources/read', { uri }, options);
      return contents as Awaited<ReturnType<TestMcp['readResource']>>;
    },
    listResources: (options) => list('resources', options),
    async getPrompt(name, args = {}, options) {
      const result: object = await request('prompts/get', { name, arguments: args }, options);
      return result as Awaited<ReturnType<TestMcp['getPrompt']>>;
    },
    listPrompts: (options) => list('prompts', options),
  };
}

/** The result of the request `id` in a response: JSON, or the last message of an event stream. */
async function resultOf(response: Response, id: number, call: string): Promise<Given> {
  const type = response.headers.get('content-type') ?? '';
  if (response.ok && type.startsWith('text/event-stream')) {
    for await (const { data } of eventsOf(response))
      if (isObject(data) && data.id === id && !('method' in data)) return takeResult(data, call);
    throw testError('FWK904', `${call} got no answer before its stream ended`);
  }
  if (!/^application\/json\b/.test(type)) throw await refusalOf(response, call, 'a result');
  const copy = response.clone();
  const body: unknown = await response.json();
  if (isObject(body) && ('result' in body || (response.ok && 'error' in body))) return takeResult(body, call);
  throw await refusalOf(copy, call, 'a result');
}

function takeResult({ result, error }: Readonly<Record<string, unknown>>, call: string): Given {
  if (isObject(result)) return result;
  const { message, code, data } = isObject(error) ? error : { message: 'no result', code: -32603 };
  throw new TestMcpError(`${call}: ${message}`, Number(code), data);
}

/** The tools of `mcp/tools/` by their names, without tools whose names are computed at runtime. */
type Named = { [Key in keyof Tools as NameOf<Tools[Key], Key>]: Tools[Key] };

type NameOf<Tool, Key> = Tool extends { readonly name?: infer Name }
  ? [Exclude<Name, undefined>] extends [never]
    ? Key
    : string extends Name
      ? never
      : Exclude<Name, undefined> & string
  : Key;

/** The tool with this name; never if the types don't know it. */
type ToolAt<Name extends string> = string extends Name
  ? never
  : Name extends keyof Named
    ? Named[Name]
    : never;

type ToolArguments<Tool, Options> = [Tool] extends [never]
  ? [args?: Given, options?: Options]
  : Tool extends { readonly input?: infer Input }
    ? Arguments<ArgumentsOf<Exclude<Input, undefined>>, Options>
    : [args?: Given, options?: Options];

type Arguments<Input, Options> =
  Record<never, never> extends Input ? [args?: Input, options?: Options] : [args: Input, options?: Options];

type ArgumentsOf<S> = [S] extends [never]
  ? Record<string, never>
  : Known<S extends StandardSchema ? In<S> : FromJsonSchema<S>>;

type StructuredOf<Tool> = [Tool] extends [never]
  ? Given
  : Tool extends { readonly output?: infer Output }
    ? [Exclude<Output, undefined>] extends [never]
      ? Given
      : ContentOf<Exclude<Output, undefined>>
    : Given;

type ContentOf<S> = WithObjectRoot<Known<Jsonify<S extends StandardSchema ? Out<S> : FromJsonSchema<S>>>>;

/** Clients with sessions get values that are not objects wrapped in one. */
type WithObjectRoot<T> = T extends readonly unknown[] | string | number | boolean | null
  ? { readonly result: T }
  : T;

type Known<T> = unknown extends T ? Given : T;
