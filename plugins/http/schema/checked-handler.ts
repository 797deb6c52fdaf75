import type { IncomingHttpHeaders } from 'node:http';
import type { RuntimeCtx } from '../../../scope/index.js';
import type { HttpError } from '../request/http-error.js';
import type { HttpRequest } from '../request/request.js';
import type { AnyParams, AnyQuery } from '../request/route-info.js';
import type { AnswerResult } from '../response/handler.js';
import type { HttpResponse } from '../response/response.js';
import type { ErrorStatus } from './definition.js';
import type { In, Out, StandardSchema } from './standard-schema.js';

/** The request of a route with schemas. Each part has the output type of its schema. */
export type CheckedRequest<P, Q, H, B> = HttpRequest<
  never,
  Out<B>,
  Out<P, AnyParams>,
  Out<Q, AnyQuery>,
  Out<H, IncomingHttpHeaders>
>;

/** The handler of a route with schemas but without `response`. */
export type CheckedHandler<P, Q, H, B, Result> = (
  req: CheckedRequest<P, Q, H, B>,
  res: HttpResponse,
  ctx: RuntimeCtx,
) => Result;

/** The handler of a route with `response`. */
export type AnsweringHandler<M, P, Q, H, B, R, E> = (
  req: CheckedRequest<P, Q, H, B>,
  res: HttpResponse,
  ctx: RuntimeCtx,
) => Answer<M, R, E> | Promise<Answer<M, R, E>>;

/** The result type: the input of `response`, a file, a declared error, or for GET null, which is a 404. */
export type Answer<M, R, E> =
  | OneOf<R>
  | DeclaredErrors<E>
  | AnswerResult
  | (M extends 'GET' | 'HEAD' | 'ALL' ? null : never);

type OneOf<R> = R extends StandardSchema
  ? In<R>
  : { [S in keyof R]: R[S] extends StandardSchema ? In<R[S]> : Nothing }[keyof R];

/** Also the result of a function without `return`. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler's return type is a union.
type Nothing = undefined | void;

type DeclaredErrors<E> = [E] extends [never]
  ? HttpError
  : { [S in keyof E & number]: HttpError<S, In<E[S]>> }[keyof E & number] | UndeclaredError<E>;

/** No error has this type: the compiler compares an error of another status with it, and prints the body, a sentence. */
interface UndeclaredError<E> extends HttpError<Exclude<ErrorStatus, keyof E>, AddToErrors> {}
type AddToErrors = 'Declare this status in the errors of the route.';
