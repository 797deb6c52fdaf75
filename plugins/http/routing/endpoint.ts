import { brand } from '../../../kernel/index.js';
import type { RouteMeta, RoutePath } from '../request/route-info.js';
import type { Method } from './methods.js';
import type { Handler } from './route.js';

const endpoints = brand('fwkit.endpoint');

/** A handler with its method: the default export of a route module. */
export interface Endpoint<
  M extends Method = Method,
  Path extends RoutePath = never,
  Body = unknown,
  Result = unknown,
> {
  readonly method: M;
  readonly handler: Handler<Path, Body, Result>;
  readonly metadata: RouteMeta;
  /** The same endpoint with more metadata: `get(handler).meta({ adminOnly: true })`. */
  meta(more: RouteMeta): Endpoint<M, Path, Body, Result>;
}

/** Wraps a handler in a method. Annotate `req` for more types: `post((req: HttpRequest<'/api/users/:id'>) => …)`. */
export type MethodWrapper<M extends Method> = <
  Path extends RoutePath = never,
  Body = unknown,
  Result = unknown,
>(
  handler: Handler<Path, Body, Result>,
) => Endpoint<M, Path, Body, Result>;

function wrapper<M extends Method>(method: M): MethodWrapper<M> {
  return (handler) => {
    if (typeof handler !== 'function') throw new TypeError(`a ${method} endpoint needs a handler function`);
    return endpoint(method, handler, {});
  };
}

function endpoint<M extends Method, Path extends RoutePath, Body, Result>(
  method: M,
  handler: Handler<Path, Body, Result>,
  metadata: RouteMeta,
): Endpoint<M, Path, Body, Result> {
  const meta = (more: RouteMeta) => endpoint(method, handler, { ...metadata, ...more });
  return Object.freeze(endpoints.mark({ method, handler, metadata, meta }));
}

/** Whether `value` was made by a method wrapper. */
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
