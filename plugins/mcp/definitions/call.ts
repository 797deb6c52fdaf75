/** Severity of a log message (RFC 5424 §6.2.1). */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/** Who a bearer token belongs to: what `verify` of `mcp/auth` gives. */
export interface Identity {
  /** Names the user, stably and uniquely. A session belongs to the subject that began it. */
  readonly subject: string;
  /** What the token allows. */
  readonly scopes?: readonly string[];
  /** When the token ends, in seconds since the epoch: from then on it is refused. */
  readonly expiresAt?: number;
  readonly [more: string]: unknown;
}

/** A person's answer to `elicitation/create`. */
export interface ElicitationAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  /** What was filled in, checked against `requestedSchema`; only where the action is `accept`. */
  readonly content?: Readonly<Record<string, unknown>>;
}

/** A model's answer to `sampling/createMessage`. */
export interface SamplingAnswer {
  readonly role: 'user' | 'assistant';
  readonly content: unknown;
  readonly model?: string;
  readonly stopReason?: string;
}

/** The answer to `roots/list`. */
export interface RootsAnswer {
  readonly roots: readonly { readonly uri: string; readonly name?: string }[];
}

export interface AskOptions {
  /** Names the question. Default: its number. It must be the same whenever the handler runs. */
  readonly key?: string;
}

/** Asks the client. See `Call.ask`. */
export interface Ask {
  (
    method: 'elicitation/create',
    params: Readonly<Record<string, unknown>>,
    options?: AskOptions,
  ): Promise<ElicitationAnswer>;
  (
    method: 'sampling/createMessage',
    params: Readonly<Record<string, unknown>>,
    options?: AskOptions,
  ): Promise<SamplingAnswer>;
  (
    method: 'roots/list',
    params?: Readonly<Record<string, unknown>>,
    options?: AskOptions,
  ): Promise<RootsAnswer>;
}

/** What a handler can do beside answering, and what is known of the call. */
export interface Call {
  /** Aborts when the client cancels the call. */
  readonly signal: AbortSignal;
  /** The session of the 2025 protocol over HTTP; undefined where there is none. */
  readonly sessionId: string | undefined;
  /** Who calls; undefined without `mcp/auth` and over stdio. */
  readonly auth: Identity | undefined;
  /** What the client said that it can do: `elicitation`, `sampling`, `roots` … */
  readonly clientCapabilities: Readonly<Record<string, unknown>>;
  /** Tell how far the work is, if the client wants to know. Never rejects: a client may be gone. */
  progress(done: number, total?: number, message?: string): Promise<void>;
  /** Send a log message, if the client wants messages of that level. Never rejects. */
  log(level: LogLevel, data: unknown, logger?: string): Promise<void>;
  /**
   * Ask the client's user, its model or its roots, and resolve with the answer. Rejects at once where the client did not
   * declare that it can. Under the stateless protocol (2026-07-28) the call ends here with the question, and the handler
   * runs again from its beginning when the client sends the answer: what stands before `ask` must be repeatable.
   */
  readonly ask: Ask;
  /** Tell the clients that subscribed to `uri` that the resource has changed. */
  notify(uri: string): void;
}
