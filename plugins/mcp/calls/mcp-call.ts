import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { type Project, slotKey } from '../../../kernel/index.js';
import type { Client } from './client.js';

const WRAPPERS = slotKey<McpCallWrapper[]>('mcp.wrappers');

/** Channels of `node:diagnostics_channel`; the message of both is the `McpCall`. */
export const CALL_START = channel('fwk.mcp.start');
export const CALL_END = channel('fwk.mcp.end');

/** One request of an MCP client that is watched. */
export class McpCall {
  /** When it began, by `performance.now()`. */
  readonly startedAt = performance.now();
  /** What code of the project threw, and not on purpose. */
  error: unknown;
  /** The code of the JSON-RPC error that answers it. */
  code: number | undefined;
  /** Whether the result of a tool tells the model of a failure. */
  isError = false;
  #endedAt: number | undefined;

  constructor(
    /** `tools/call` */
    readonly method: string,
    /** The tool or prompt, or the URI template of the resource; undefined where the client names none that is there. */
    readonly target: string | undefined,
    readonly sessionId: string | undefined,
    /** Node's own request that brought it; undefined over stdio. */
    readonly raw: IncomingMessage | undefined,
    /** What the client sent as `_meta`: a `traceparent`, say. */
    readonly meta: Readonly<Record<string, unknown>>,
  ) {}

  /** Milliseconds since it began; when it has ended, until then. */
  get duration(): number {
    return (this.#endedAt ?? performance.now()) - this.startedAt;
  }

  static end(call: McpCall): void {
    call.#endedAt = performance.now();
  }
}

/** Called when a call begins, with a function that runs it: call that at once, and wait for it. It never rejects. */
export type McpCallWrapper = (call: McpCall, run: () => Promise<void>) => unknown;

export const wrappersOf = (project: Project): McpCallWrapper[] => project.slot(WRAPPERS, () => []);

/**
 * Have every request of MCP clients that this version of the project answers run inside of `wrap`, over HTTP and stdio. Call
 * this while resolving, or in a `serve` tap of a stage before `Stage.finish`. What it throws is logged, and changes nothing.
 */
export function wrapMcpCalls(project: Project, wrap: McpCallWrapper): void {
  wrappersOf(project).push(wrap);
}

const calls = new WeakMap<Client, McpCall>();

export const watchCall = (client: Client, call: McpCall): void => void calls.set(client, call);

export function noteFailure(client: Client, thrown: unknown): void {
  const call = calls.get(client);
  if (call) call.error = thrown;
}
