import type { RoutePath } from '../request/route-info.js';
import { INPUT_PARTS, type InputPart, type StandardSchema } from './standard-schema.js';

/** The statuses of successes that a `response` may name (RFC 9110 §15.3 and the IANA registry). */
export type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226;

/** The statuses of errors that `errors` may name (RFC 9110 §15.5, §15.6 and the IANA registry). */
// biome-ignore format: a list of numbers.
export type ErrorStatus =
  | 400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415 | 416 | 417 | 418
  | 421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451
  | 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511;

/** Those that never have a body (RFC 9110 §15.3.5, §15.3.6). */
type BodilessStatus = 204 | 205;
export const isBodiless = (status: number): status is BodilessStatus => status === 204 || status === 205;

/** One schema for whatever succeeds, or one for each status; null where it has no body. */
export type Responses =
  | StandardSchema
  | { readonly [S in SuccessStatus]?: S extends BodilessStatus ? null : StandardSchema | null };

/** The schemas of the bodies that `error()` is given, by status. */
export type Errors = { readonly [S in ErrorStatus]?: StandardSchema };

/** What a route of any kind says of itself, and of the requests that it takes. */
// One type parameter for each part: only so does TypeScript refuse a key that is not there.
export interface InputDefinition<P = unknown, Q = unknown, H = unknown> {
  /** Values of the bracketed segments. */
  readonly params?: P;
  /** The query string: a key that is repeated is a list. */
  readonly query?: Q;
  /** Names in lower case. */
  readonly headers?: H;
  readonly title?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly deprecated?: boolean;
  /** Names of security schemes, of which a caller has to satisfy one; none are needed where the list is empty. */
  readonly security?: readonly string[];
}

/** What a route says of itself beside its handler. */
export interface Definition<P = unknown, Q = unknown, H = unknown, B = unknown, R = unknown, E = unknown>
  extends InputDefinition<P, Q, H> {
  /** JSON, or the fields of a form. */
  readonly body?: B;
  /** What the handler returns, or that by status: `{ 200: Book, 204: null }`. */
  readonly response?: R;
  /** What `error()` is given, by status: `{ 409: Taken }`. */
  readonly errors?: E;
  /** Makes the route a tool of MCP clients, whose calls are requests to it. */
  readonly tool?: true | RouteTool;
}

/** A definition whose schemas may be any: of an endpoint, of a stream of events, or of a socket. */
export interface AnyDefinition
  extends Definition<StandardSchema, StandardSchema, StandardSchema, StandardSchema, Responses, Errors> {
  /** Of `sse`: the data of each event, by name; those without a name are `message`. */
  readonly events?: Readonly<Record<string, StandardSchema>>;
  /** Of `ws`: the messages of a client. */
  readonly receive?: StandardSchema;
  /** Of `ws`: the messages to a client. */
  readonly send?: StandardSchema;
}

const LATER_PARTS = ['response', 'errors', 'events', 'receive', 'send'] as const;

export type CheckedPart = InputPart | (typeof LATER_PARTS)[number];

export function checkedParts(definition: AnyDefinition): CheckedPart[] {
  return [...INPUT_PARTS, ...LATER_PARTS].filter((part) => definition[part] !== undefined);
}

/** The schemas of an endpoint. Types only. */
export interface Parts<P = never, Q = never, H = never, B = never, R = never, E = never> {
  readonly params: P;
  readonly query: Q;
  readonly headers: H;
  readonly body: B;
  readonly response: R;
  readonly errors: E;
}

/** What a handler without schemas is annotated with. Types only. */
export interface Annotated<Path extends RoutePath, Body> {
  readonly path: Path;
  readonly body: Body;
}

/** What MCP clients see of a route that is a tool. */
export interface RouteTool {
  /** Overrides the name that method and path give: 1 to 128 letters, digits, `_`, `-` and `.`. */
  readonly name?: string;
  /** For people. Default: the title of the route. */
  readonly title?: string;
  /** For the model: when to use it, and what it does. Default: the description of the route. */
  readonly description?: string;
  /** Hints for clients (MCP 2025-11-25, ToolAnnotations). Default: those of the method. */
  readonly annotations?: {
    readonly title?: string;
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
  /** Scopes that a token must allow. Needs `mcp/auth`. */
  readonly scopes?: readonly string[];
}

interface Defined {
  readonly tool?: true | RouteTool;
  readonly title?: string;
  readonly description?: string;
}

/** The tool that a definition makes of its route, as data; undefined where it makes none. */
export function toolOf({ tool, title, description }: Defined): RouteTool | undefined {
  if (tool === undefined) return undefined;
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(tool === true ? {} : tool),
  };
}
