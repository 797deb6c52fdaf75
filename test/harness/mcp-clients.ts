import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bin } from './installed.js';
import { tools } from './packages.js';
import type { Project } from './project.js';

// The official clients, as programs from outside: they are imported from where the test run has installed them.

/** The common part of the clients that tests use. */
export interface McpClient {
  connect(transport: object): Promise<void>;
  close(): Promise<void>;
  ping(): Promise<unknown>;
  listTools(params?: object, options?: object): Promise<{ tools: Listed[] }>;
  listResources(): Promise<{ resources: Listed[] }>;
  listResourceTemplates(): Promise<{ resourceTemplates: Listed[] }>;
  listPrompts(): Promise<{ prompts: Listed[] }>;
  callTool(params: { name: string; arguments?: object }, ...more: unknown[]): Promise<ToolAnswer>;
  readResource(params: { uri: string }): Promise<{ contents: Record<string, unknown>[] }>;
  getPrompt(params: { name: string; arguments?: object }): Promise<{ messages: { content: Block }[] }>;
  complete(params: object): Promise<{ completion: { values: string[]; total?: number; hasMore?: boolean } }>;
  subscribeResource(params: { uri: string }): Promise<unknown>;
  listen?(filter: object): Promise<{ close(): Promise<void> }>;
  setRequestHandler(
    method: unknown,
    handler: (request: { params: Record<string, unknown> }) => unknown,
  ): void;
  setNotificationHandler(
    method: unknown,
    handler: (note: { params: Record<string, unknown> }) => unknown,
  ): void;
}

export interface Block {
  readonly type: string;
  readonly text?: string;
}

export interface Listed extends Record<string, unknown> {
  readonly name: string;
}

export interface ToolAnswer {
  readonly content: Block[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** How a client reaches the server. */
export type Target =
  | { readonly url: string; readonly path?: string; readonly headers?: Record<string, string> }
  | { readonly project: Project };

type Module = Record<string, new (...args: unknown[]) => object> & Record<string, unknown>;

/** An unconnected client, and how it names methods and notifications. */
export interface Made {
  readonly client: McpClient;
  /** The value that identifies a method for a handler: v1 takes schemas, v2 names. */
  named(method: keyof typeof SCHEMAS): unknown;
  transport(target: Target): object;
}

const SCHEMAS = {
  'elicitation/create': 'ElicitRequestSchema',
  'sampling/createMessage': 'CreateMessageRequestSchema',
  'roots/list': 'ListRootsRequestSchema',
  'notifications/tools/list_changed': 'ToolListChangedNotificationSchema',
  'notifications/resources/updated': 'ResourceUpdatedNotificationSchema',
  'notifications/message': 'LoggingMessageNotificationSchema',
};

const INFO = { name: 'tests', version: '1.0.0' };

/** Import a package that a test run has installed. */
export async function imported(specifier: string): Promise<Module> {
  const { resolve } = createRequire(path.join(tools(), 'package.json'));
  return (await import(pathToFileURL(resolve(specifier)).href)) as Module;
}

const stdio = ({ root }: Project) => ({
  command: bin('fwk'),
  args: ['mcp', '--stdio'],
  cwd: root,
  stderr: 'ignore',
});

async function v1(capabilities: object): Promise<Made> {
  const base = '@modelcontextprotocol/sdk';
  const [{ Client }, http, io, schemas] = await Promise.all([
    imported(`${base}/client/index.js`),
    imported(`${base}/client/streamableHttp.js`),
    imported(`${base}/client/stdio.js`),
    imported(`${base}/types.js`),
  ]);
  return make(
    Client,
    http.StreamableHTTPClientTransport,
    io.StdioClientTransport,
    { capabilities },
    (method) => {
      return schemas[SCHEMAS[method]];
    },
  );
}

const v2 =
  (mode: unknown) =>
  async (capabilities: object): Promise<Made> => {
    const [{ Client, StreamableHTTPClientTransport }, { StdioClientTransport }] = await Promise.all([
      imported('@modelcontextprotocol/client'),
      imported('@modelcontextprotocol/client/stdio'),
    ]);
    const options = { capabilities, versionNegotiation: { mode } };
    return make(Client, StreamableHTTPClientTransport, StdioClientTransport, options, (method) => method);
  };

type Constructor = new (...args: unknown[]) => object;

function make(
  Client: Constructor | undefined,
  Http: Constructor | undefined,
  Stdio: Constructor | undefined,
  options: object,
  named: Made['named'],
): Made {
  if (!Client || !Http || !Stdio) throw new Error('The client package has other exports than expected.');
  return {
    client: new Client(INFO, options) as McpClient,
    named,
    transport: (target) =>
      'url' in target
        ? new Http(new URL(target.path ?? '/mcp', target.url), {
            requestInit: { headers: target.headers ?? {} },
          })
        : new Stdio(stdio(target.project)),
  };
}

/** Every official client, with each of its protocols; each declares the capabilities of the test. */
export const clients: Readonly<Record<string, (capabilities?: object) => Promise<Made>>> = {
  'v1 client': (capabilities = {}) => v1(capabilities),
  'v2 client, 2025': (capabilities = {}) => v2('legacy')(capabilities),
  'v2 client, 2026-07-28': (capabilities = {}) => v2({ pin: '2026-07-28' })(capabilities),
};

/** A connected client, closed by `close`. */
export async function connected(
  name: string,
  target: Target,
  prepare: (made: Made) => void = () => {},
  capabilities: object = {},
): Promise<McpClient> {
  const made = await clients[name]?.(capabilities);
  if (!made) throw new Error(`There is no client "${name}".`);
  prepare(made);
  await made.client.connect(made.transport(target));
  return made.client;
}
