/** Severity of a log message (RFC 5424 §6.2.1). */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/** The user of a bearer token, as `verify` of `mcp/auth` returns it. */
export interface Identity {
  /** Identifies the user, stably and uniquely. A session belongs to the subject that began it. */
  readonly subject: string;
  /** The scopes that the token grants. */
  readonly scopes?: readonly string[];
  /** When the token expires, in seconds since the Unix epoch. */
  readonly expiresAt?: number;
  readonly [more: string]: unknown;
}

/** A person's answer to `elicitation/create`. */
export interface ElicitationAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  /** The submitted values, checked against `requestedSchema`; present only if the action is `accept`. */
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

/** How fwk matches a question with its answer. */
export interface AskOptions {
  /** Identifies the question. Default: its number. The key must be the same each time the handler runs. */
  readonly key?: string;
}

type AskParams = Readonly<Record<string, unknown>>;

/** Asks the client a question. See `Call.ask`. */
export interface Ask {
  (method: 'elicitation/create', params: AskParams, options?: AskOptions): Promise<ElicitationAnswer>;
  (method: 'sampling/createMessage', params: AskParams, options?: AskOptions): Promise<SamplingAnswer>;
  (method: 'roots/list', params?: AskParams, options?: AskOptions): Promise<RootsAnswer>;
}

/** One call: its client, and what a handler can do besides returning a result. */
export interface Call {
  /** Aborts when the client cancels the call. */
  readonly signal: AbortSignal;
  /** The session ID of the 2025 protocol over HTTP; undefined without a session. */
  readonly sessionId: string | undefined;
  /** The authenticated user; undefined without `mcp/auth` and over stdio. */
  readonly auth: Identity | undefined;
  /** The capabilities that the client declared: `elicitation`, `sampling`, `roots` … */
  readonly clientCapabilities: Readonly<Record<string, unknown>>;
  /**
   * Report progress, if the client requested progress notifications. Rejects after the client has
   * cancelled the call or disconnected, so that the handler ends; fwk ignores that error.
   */
  progress(done: number, total?: number, message?: string): Promise<void>;
  /** Send a log message, if the client requested messages of that level. Never rejects. */
  log(level: LogLevel, data: unknown, logger?: string): Promise<void>;
  /**
   * Ask the client's user, model or roots. Rejects immediately if the client did not declare the
   * capability. In the stateless protocol (2026-07-28), the call ends here with the question, and the
   * handler runs again from its beginning for the answer: code before `ask` must be safe to repeat.
   */
  readonly ask: Ask;
  /** Notify the clients that subscribed to `uri` that the resource has changed. */
  notify(uri: string): void;
}
