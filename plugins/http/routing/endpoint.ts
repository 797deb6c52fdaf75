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

/** A handler with its method: the default export of a route module. */
export interface Endpoint<M extends Method = Method, Io = unknown, Result = unknown> {
  readonly method: M;
  /** Answers requests, which it checks first where there are schemas. */
  readonly handler: Handler;
  readonly metadata: RouteMeta;
  readonly definition?: AnyDefinition;
  /** The same endpoint with more metadata: `get(handler).meta({ adminOnly: true })`. */
  meta(more: RouteMeta): Endpoint<M, Io, Result>;
  /** Types only: there is no such property. */
  readonly '~io'?: { readonly io: Io; readonly result: Result };
}

/** The member of `Paths` of a file whose name says no method. Types only. */
export type ByMethod<E> =
  E extends Endpoint<infer M>
    ? { readonly [Name in M extends 'ALL' ? WrapperName<Exclude<Method, 'ALL'>> : WrapperName<M>]: E }
    : never;

type WrapperName<M extends Method> = M extends 'DELETE' ? 'del' : Lowercase<M>;

/**
 * Wraps a handler in a method: `post(handler)`, or with schemas `post({ body: Book }, handler)`. Without schemas, annotate
 * `req` for more types: `post((req: HttpRequest<'/api/users/:id'>) => …)`.
 */
export interface MethodWrapper<M extends Method> {
  <Path extends RoutePath = never, Body = unknown, Result = unknown>(
    handler: Handler<Path, Body, Result, [Path] extends [never] ? AnyParams : ParamsOf<Path>>,
  ): Endpoint<M, Annotated<Path, Body>, Result>;
  <
    P extends StandardSchema = never,
    Q extends StandardSchema = never,
    H extends StandardSchema = never,
    // The body of GET and HEAD means nothing (RFC 9110 §9.3.1).
    B extends M extends 'GET' | 'HEAD' ? never : StandardSchema = never,
    R extends Responses = never,
    E extends Errors = never,
    Result = unknown,
  >(
    definition: Definition<P, Q, H, B, R, E>,
    // The condition is around the whole type, so that TypeScript decides it before it types the handler: at the return
    // type, literals in returned objects would be widened.
    handler: [R] extends [never] ? CheckedHandler<P, Q, H, B, Result> : AnsweringHandler<M, P, Q, H, B, R, E>,
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
    return endpoint(method, checkingInput(definition, checkingOutput(definition, second)), {}, definition);
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
 * An endpoint with a definition, for a wrapper such as `sse`: it checks `params`, `query`, `headers` and `body` of each request
 * before `handler` sees it, and answers 422 where they do not fit. `definition` comes from `definitionOf`.
 */
export const definedEndpoint = <M extends Method>(
  method: M,
  definition: AnyDefinition,
  handler: Handler,
): Endpoint<M, never, never> => endpoint(method, checkingInput(definition, handler), {}, definition);

export const isEndpoint = (value: unknown): value is Endpoint => endpoints.has(value);

/** Answers GET, and HEAD where no `head` route stands beside it. */
export const get = wrapper('GET');
/** Answers POST. */
export const post = wrapper('POST');
/** Answers PUT. */
export const put = wrapper('PUT');
/** Answers PATCH (RFC 5789). */
export const patch = wrapper('PATCH');
/** Answers DELETE. */
export const del = wrapper('DELETE');
/** Answers HEAD, in place of a `get` endpoint of the same URL. */
export const head = wrapper('HEAD');
/** Answers OPTIONS, which the framework answers with the allowed methods otherwise. */
export const options = wrapper('OPTIONS');
/** Answers every method that no other endpoint of the same URL answers. */
export const all = wrapper('ALL');
