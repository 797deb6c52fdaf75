import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { type Project, slotKey } from '../../../kernel/index.js';

const WRAPPERS = slotKey<McpCallWrapper[]>('mcp.wrappers');

/** Channels of `node:diagnostics_channel`; the message of both is the `McpCall`. */
export const CALL_START = channel('fwk.mcp.start');
export const CALL_END = channel('fwk.mcp.end');

/** One request of an MCP client that is being observed. */
export class McpCall {
  /** When the call began, by `performance.now()`. */
  readonly startedAt = performance.now();
  /** An error that project code threw unintentionally. */
  error: unknown;
  /** The code of the JSON-RPC error in the response. */
  code: number | undefined;
  /** Whether the tool's result reports a failure to the model. */
  isError = false;
  #endedAt: number | undefined;

  constructor(
    /** `tools/call` */
    readonly method: string,
    /** The tool or prompt, or the resource's URI template; undefined if none has the client's name. */
    readonly target: string | undefined,
    readonly sessionId: string | undefined,
    /** Node's request object that carried the call; undefined over stdio. */
    readonly raw: IncomingMessage | undefined,
    /** The request's `_meta`, which may contain a `traceparent`, for example. */
    readonly meta: Readonly<Record<string, unknown>>,
  ) {}

  /** Milliseconds from the start of the call to its end, or until now if it is still running. */
  get duration(): number {
    return (this.#endedAt ?? performance.now()) - this.startedAt;
  }

  static end(call: McpCall): void {
    call.#endedAt = performance.now();
  }
}

/** Called when a call begins, to call `run` immediately and await it. `run` never rejects. */
export type McpCallWrapper = (call: McpCall, run: () => Promise<void>) => unknown;

export const wrappersOf = (project: Project): McpCallWrapper[] => project.slot(WRAPPERS, () => []);

/**
 * Run every MCP request that this version of the project answers inside `wrap`, over HTTP and
 * stdio. Call this while resolving, or in a `serve` tap of a stage before `Stage.finish`. An error
 * thrown by `wrap` is logged and has no other effect.
 */
export function wrapMcpCalls(project: Project, wrap: McpCallWrapper): void {
  wrappersOf(project).push(wrap);
}
