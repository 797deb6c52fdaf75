import type { LogLevel } from '../definitions/call.js';

/** The client at the other end of one call, as far as answering it needs. Made by the adapter of the SDK. */
export interface Client {
  readonly signal: AbortSignal;
  readonly capabilities: Readonly<Record<string, unknown>>;
  progress(done: number, total?: number, message?: string): Promise<void>;
  log(level: LogLevel, data: unknown, logger?: string): Promise<void>;
  changed(uri: string): void;
  /**
   * Ask now and wait for the answer. Undefined where the protocol has no such request: then the call ends in questions.
   */
  readonly send: ((method: string, params: object) => Promise<unknown>) | undefined;
  /** Answers that came with this call, by the name of their question. */
  readonly answers: Readonly<Record<string, unknown>>;
}

/** A JSON-RPC error on purpose: the client gets exactly this. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

/** Invalid params (JSON-RPC 2.0 §5.1). */
export const INVALID_PARAMS = -32602;
/** Internal error. */
export const INTERNAL_ERROR = -32603;
/** The client did not declare what the call needs (MCP 2026-07-28). */
export const MISSING_CAPABILITY = -32021;
