/** Severity of a log message (RFC 5424 §6.2.1). */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/** The user of a bearer token, as `verify` of `mcp/auth` returns it. */
export interface Identity {
  /** Names the user, stably and uniquely. A session belongs to the subject that began it. */
  readonly subject: string;
  /** The scopes that the token allows. */
  readonly scopes?: readonly string[];
  /** When the token expires, in seconds since the epoch. */
  readonly expiresAt?: number;
  readonly [more: string]: unknown;
}

/** A person's answer to `elicitation/create`. */
export interface ElicitationAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  /** The values that were filled in, checked against `requestedSchema`; only where the action is `accept`. */
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

/** How a question to the client is known again. */
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

/** One call: its client, and what a handler can do beside answering. */
export interface Call {
  /** Aborts when the client cancels the call. */
  readonly signal: AbortSignal;
  /** The session of the 2025 protocol over HTTP; undefined where there is none. */
  readonly sessionId: string | undefined;
  /** The user who calls; undefined without `mcp/auth` and over stdio. */
  readonly auth: Identity | undefined;
  /** The capabilities that the client declared: `elicitation`, `sampling`, `roots` … */
  readonly clientCapabilities: Readonly<Record<string, unknown>>;
  /** Report progress, if the client asked for it. Never rejects, even if the client has disconnected. */
  progress(done: number, total?: number, message?: string): Promise<void>;
  /** Send a log message, if the client asked for messages of that level. Never rejects. */
  log(level: LogLevel, data: unknown, logger?: string): Promise<void>;
  /**
   * Ask the client's user, its model or its roots, and resolve with the answer. Rejects at once where the client did
   * not declare that it can. Under the stateless protocol (2026-07-28) the call ends here with the question, and the
   * handler runs again from its beginning when the client sends the answer: what stands before `ask` must be
   * repeatable.
   */
  readonly ask: Ask;
  /** Notify the clients that subscribed to `uri` that the resource has changed. */
  notify(uri: string): void;
}
