import { brand } from '../../../contributions/index.js';
import type { AnyParams, ParamsOf, RouteMeta, RoutePath } from '../request/route-info.js';
import type { Handler } from '../response/handler.js';
import { checkingInput } from '../schema/check-input.js';
import { checkingOutput } from '../schema/check-output.js';
import type { AnsweringHandler, CheckedHandler } from '../schema/checked-handler.js';
import type { Annotated, AnyDefinition, Definition, Errors, Parts, Responses } from '../schema/definition.js';
import { DefinitionError } from '../schema/definition-error.js';
import { definitionOf } from '../schema/definition-mistakes.js';
import type { StandardSchema } from '../schema/standard-schema.js';
import { type Method, wrapperName } from './route.js';

const endpoints = brand('fwkit.endpoint');

/** A handler and its method: the default export of a route module. */
export interface Endpoint<M extends Method = Method, Io = unknown, Result = unknown> {
  readonly method: M;
  /** Answers requests. If there are schemas, it checks the request first. */
  readonly handler: Handler;
  readonly metadata: RouteMeta;
  readonly definition?: AnyDefinition;
  /** Return the same endpoint with additional metadata: `get(handler).meta({ adminOnly: true })`. */
  meta<const D = never, const I = never>(
    more: RouteMeta & { readonly deprecated?: D; readonly idempotent?: I },
  ): Endpoint<M, Io & Marks<D, I>, Result>;
  /** Types only: the property doesn't exist at run time. */
  readonly '~io'?: { readonly io: Io; readonly result: Result };
}

/** The metadata that the typed client knows. A variable of type `RouteMeta` has no literal values, and adds none. Types only. */
type Marks<D, I> = ([D] extends [{ readonly since: infer Day }]
  ? string extends Day
    ? unknown
    : { readonly deprecated: true }
  : unknown) &
  ([I] extends [never] ? unknown : [I] extends [true] ? { readonly idempotent: true } : unknown);

/** The member of `Paths` for a file whose name has no method suffix. Types only. */
export type ByMethod<E> =
  E extends Endpoint<infer M>
    ? { readonly [Name in M extends 'ALL' ? WrapperName<Exclude<Method, 'ALL'>> : WrapperName<M>]: E }
    : never;

type WrapperName<M extends Method> = M extends 'DELETE' ? 'del' : Lowercase<M>;

/**
 * Wraps a handler in a method: `post(handler)`, or with schemas `post({ body: Book }, handler)`. Without schemas, annotate
 * `req` to type it: `post((req: HttpRequest<'/api/users/:id'>) => …)`.
 */
export interface MethodWrapper<M extends Method> {
  <Path extends RoutePath = never, Body = unknown, Result = unknown>(
    handler: Handler<Path, Body, Result, [Path] extends [never] ? AnyParams : ParamsOf<Path>>,
  ): Endpoint<M, Annotated<Path, Body>, Result>;
  <
    P extends StandardSchema = never,
    Q extends StandardSchema = never,
    H extends StandardSchema = never,
    // A body of GET or HEAD has no meaning (RFC 9110 §9.3.1).
    B extends M extends 'GET' | 'HEAD' ? never : StandardSchema = never,
    R extends Responses = never,
    E extends Errors = never,
    Result = unknown,
  >(
    definition: Definition<P, Q, H, B, R, E>,
    // The condition is around the whole type, so that TypeScript resolves it before it types the handler. In the return type,
    // it would widen literals in returned objects.
    // `NoInfer`, because TypeScript would otherwise infer `{}` for E from a returned error of a route without `errors`.
    handler: [R] extends [never]
      ? CheckedHandler<P, Q, H, B, Result>
      : AnsweringHandler<M, P, Q, H, B, R, NoInfer<E>>,
  ): Endpoint<M, Parts<P, Q, H, B, R, E>, Result>;
}

function wrapper<M extends Method>(method: M): MethodWrapper<M> {
  return (first: unknown, second?: unknown) => {
    if (second === undefined) {
      if (isHandler(first)) return endpoint(method, first, {});
      throw new DefinitionError(`a ${method} endpoint needs a handler function`, 'FWK402');
    }
    const definition = definitionOf(wrapperName(method), first);
    if (!isHandler(second))
      throw new DefinitionError(
        `${wrapperName(method)}() needs a handler function after its definition.`,
        'FWK402',
      );
    return definedEndpoint(method, definition, second);
  };
}

const isHandler = (value: unknown): value is Handler => typeof value === 'function';

function endpoint<M extends Method>(
  method: M,
  handler: Handler,
  metadata: RouteMeta,
  definition?: AnyDefinition,
): Endpoint<M, never, never> {
  const meta = (more: RouteMeta) => endpoint(method, handler, { ...metadata, ...more }, definition);
  return Object.freeze(
    endpoints.mark({ method, handler, metadata, ...(definition ? { definition } : {}), meta }),
  );
}

/**
 * Create an endpoint with a definition, for a wrapper such as `sse`. It checks `params`, `query`, `headers` and `body` of
 * each request before `handler` runs, and responds with 422 if they are invalid. It checks results against `response` and
 * `errors`. `definition` comes from `definitionOf`.
 */
export const definedEndpoint = <M extends Method>(
  method: M,
  definition: AnyDefinition,
  handler: Handler,
): Endpoint<M, never, never> => endpoint(method, checkedHandler(definition, handler), {}, definition);

const checkedHandlers = new WeakSet<Handler>();

/** The handler with the checks of `definition` around it; the same handler if it already has checks. */
export function checkedHandler(definition: AnyDefinition, handler: Handler): Handler {
  if (checkedHandlers.has(handler)) return handler;
  const checked = checkingInput(definition, checkingOutput(definition, handler));
  checkedHandlers.add(checked);
  return checked;
}

export const isEndpoint = (value: unknown): value is Endpoint => endpoints.has(value);

/** Answers GET requests, and HEAD requests unless the URL has a `head` route. */
export const get = wrapper('GET');
/** Answers POST requests. */
export const post = wrapper('POST');
/** Answers PUT requests. */
export const put = wrapper('PUT');
/** Answers PATCH requests (RFC 5789). */
export const patch = wrapper('PATCH');
/** Answers DELETE requests. */
export const del = wrapper('DELETE');
/** Answers HEAD requests instead of the `get` endpoint of the same URL. */
export const head = wrapper('HEAD');
/** Answers OPTIONS requests, to which the framework otherwise responds with the allowed methods. */
export const options = wrapper('OPTIONS');
/** Answers every method for which the URL has no other endpoint. */
export const all = wrapper('ALL');
