import type { RoutePath } from '../request/route-info.js';
import { INPUT_PARTS, type InputPart, type StandardSchema } from './standard-schema.js';
import type { ToolView } from './tool-view.js';

/** The success statuses that `response` can declare (RFC 9110 §15.3 and the IANA registry). */
export type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226;

/** The error statuses that `errors` can declare (RFC 9110 §15.5, §15.6 and the IANA registry). */
// biome-ignore format: a list of numbers.
export type ErrorStatus =
  | 400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415 | 416 | 417 | 418
  | 421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451
  | 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511;

/** Statuses that never have a body (RFC 9110 §15.3.5, §15.3.6). */
type BodilessStatus = 204 | 205;
export const isBodiless = (status: number): status is BodilessStatus => status === 204 || status === 205;

/** One schema for all successful responses, or one for each status; null for a status without a body. */
export type ResponseSchemas =
  | StandardSchema
  | { readonly [S in SuccessStatus]?: S extends BodilessStatus ? null : StandardSchema | null };

/** The schemas of the bodies passed to `error()`, by status. */
export type ErrorSchemas = { readonly [S in ErrorStatus]?: StandardSchema };

// The compiler does not look for unknown keys if it knows at least one, so statuses of the other kind have a type: a sentence.
/** A `response` in a definition. */
export type Responses =
  | StandardSchema
  | (Exclude<ResponseSchemas, StandardSchema> & {
      readonly [S in ErrorStatus]?: 'Move this status to the errors of the route.';
    });

/** The `errors` in a definition. */
export type Errors = ErrorSchemas & {
  readonly [S in SuccessStatus]?: 'Move this status to the response of the route.';
};

/** The common part of all route definitions: documentation and input schemas. */
// One type parameter for each part, because only then does TypeScript reject unknown keys.
export interface InputDefinition<P = unknown, Q = unknown, H = unknown> {
  /** The values of the bracketed segments. */
  readonly params?: P;
  /** The query string. A repeated key becomes an array. */
  readonly query?: Q;
  /** The headers, with lower-case names. */
  readonly headers?: H;
  readonly title?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly deprecated?: boolean;
  /**
   * Names of security schemes, one of which the caller must satisfy. An object names schemes that the caller must satisfy
   * together, each with its scopes: `{ oauth: ['books:write'], key: [] }`. An empty list requires none.
   */
  readonly security?: readonly (string | Readonly<Record<string, readonly string[]>>)[];
}

/** The definition of a route: schemas and documentation. */
export interface Definition<P = unknown, Q = unknown, H = unknown, B = unknown, R = unknown, E = unknown>
  extends InputDefinition<P, Q, H> {
  /** A JSON body, or the fields of a form. */
  readonly body?: B;
  /** The result of the handler, or the results by status: `{ 200: Book, 204: null }`. */
  readonly response?: R;
  /** The bodies passed to `error()`, by status: `{ 409: Taken }`. */
  readonly errors?: E;
  /** Makes the route a tool for MCP clients. Each call of the tool is a request to the route. */
  readonly tool?: true | RouteTool;
}

/** A definition with any schemas: of an endpoint, an event stream, or a WebSocket. */
export interface AnyDefinition
  extends Definition<
    StandardSchema,
    StandardSchema,
    StandardSchema,
    StandardSchema,
    ResponseSchemas,
    ErrorSchemas
  > {
  /** Only for `sse`: the data of each event, by event name; events without a name are `message`. */
  readonly events?: Readonly<Record<string, StandardSchema>>;
  /** Only for `ws`: the subprotocols of the handler. */
  readonly protocols?: readonly string[];
  /** Only for `ws`: the messages from clients. */
  readonly receive?: StandardSchema;
  /** Only for `ws`: the messages to clients. */
  readonly send?: StandardSchema;
  /** Only for `ws`: the state of a connection. */
  readonly state?: StandardSchema;
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

/** The type annotations of a handler without schemas. Types only. */
export interface Annotated<Path extends RoutePath, Body> {
  readonly path: Path;
  readonly body: Body;
}

/** Hints for clients. Do not rely on them for security (MCP 2025-11-25, ToolAnnotations). */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** The description of a tool for MCP clients. */
export interface RouteTool {
  /** Overrides the name derived from method and path: 1 to 128 letters, digits, `_`, `-` and `.`. */
  readonly name?: string;
  /** The name shown to users. Default: the title of the route. */
  readonly title?: string;
  /** Explains to the model when to use the tool and what it does. Default: the description of the route. */
  readonly description?: string;
  /** Default: derived from the method. */
  readonly annotations?: ToolAnnotations;
  /** Scopes that the token must grant. Requires `mcp/auth`. */
  readonly scopes?: readonly string[];
  /** The template `views/<name>` that hosts show beside the answer, rendered with the response of the route. */
  readonly view?: ToolView;
}

interface Defined {
  readonly tool?: true | RouteTool;
  readonly title?: string;
  readonly description?: string;
}

/** The tool data of a definition; undefined if the route isn't a tool. */
export function toolOf({ tool, title, description }: Defined): RouteTool | undefined {
  if (tool === undefined) return undefined;
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(tool === true ? {} : tool),
  };
}
