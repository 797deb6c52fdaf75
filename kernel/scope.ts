import type { Logger } from './logger.js';

/**
 * The `ctx` that handlers, jobs and tools get. The generated types add one property per file in `services/` and `di/`.
 */
export interface RuntimeCtx {
  readonly logger: Logger;
}

/** The life of one request, socket or call. */
export interface Scope {
  readonly ctx: RuntimeCtx;
  /** Dispose of what the scope made, in reverse order. Never rejects: failures are logged. */
  close(): Promise<void>;
}

/** Where `ctx` comes from. The kernel's own holds a logger; a plugin that injects more replaces it while resolving. */
export interface Scopes {
  /** The one `ctx` of every scope, where no scope has anything of its own; else undefined, and `open` it is. */
  readonly shared: RuntimeCtx | undefined;
  /** The `ctx` of what belongs to no scope: it has what lives as long as the app. */
  readonly outside: RuntimeCtx;
  /** Begin a scope. `origin` is what it serves (a request, say), for values that are made from it. */
  open(origin: unknown): Scope;
}

export function loggerOnly(logger: Logger): Scopes {
  const ctx: RuntimeCtx = Object.freeze({ logger });
  return { shared: ctx, outside: ctx, open: () => ({ ctx, close: async () => {} }) };
}
