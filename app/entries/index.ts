/// <reference types="node" preserve="true" />
import type { HttpRequest, HttpResponse, RoutePath } from '../../plugins/http/index.js';

/** The entry for apps, published as `fwkit`. */

export type { Logger } from '../../kernel/index.js';
export { type CacheMeta, purge } from '../../plugins/cache/index.js';
export {
  type Assigned,
  di,
  type Provided,
  type ProvidedToSingleton,
  type Provider,
  type RequestTools,
  type ServiceOptions,
  type SessionTools,
  type SingletonCtx,
  type SingletonTools,
  type Storable,
  service,
} from '../../plugins/context/index.js';
export type { OutOfReach } from '../../plugins/context/internal.js';
export { csrfField, csrfToken } from '../../plugins/csrf/index.js';
export { env, secret } from '../../plugins/env/index.js';
export {
  type Annotated,
  type AnyRequest,
  all,
  type ByMethod,
  type CookieOptions,
  type Definition,
  del,
  type Endpoint,
  type ErrorStatus,
  type Errors,
  error,
  type FilePart,
  fromNode,
  get,
  type Handler,
  HttpError,
  type HttpRequest,
  type HttpResponse,
  head,
  type In,
  type InputIssue,
  isHttpError,
  type Out,
  options,
  type ParamNames,
  type Part,
  type Parts,
  type Paths,
  patch,
  post,
  put,
  type Responses,
  type RouteMeta,
  type RoutePath,
  type Routes,
  type StandardSchema,
  type SuccessStatus,
} from '../../plugins/http/index.js';

export type { Tools } from '../../plugins/mcp/index.js';
export {
  type Middleware,
  type MiddlewareModule,
  middleware,
  type Next,
} from '../../plugins/middlewares/index.js';
export type { RateLimit } from '../../plugins/rate-limit/index.js';
export { endSession, renewSession, type SessionStore } from '../../plugins/session/index.js';
export { type EventSchemas, type EventStream, type Events, sse } from '../../plugins/sse/index.js';
export { type FileOptions, file, type SentFile } from '../../plugins/static/index.js';
export {
  type View,
  type ViewEngine,
  type ViewName,
  type Views,
  view,
} from '../../plugins/views/index.js';
export {
  type CtxRooms,
  type Message,
  type Rooms,
  type Sendable,
  type Socket,
  type SocketDefinition,
  type SocketEndpoint,
  type SocketHandler,
  type SocketInfo,
  ws,
} from '../../plugins/ws/index.js';
export type { CtxLogger, ProjectLoggers, RuntimeCtx } from '../../scope/index.js';
export { type BootstrapOptions, bootstrap } from '../bootstrap.js';
export { type App, type AppOptions, createApp } from '../create-app.js';
export { type Config, defineConfig } from '../open-kernel.js';
export type { Reload } from '../reload/reload-channel.js';
export type {} from './codes.js';

/** The name of `HttpRequest` in the framework's first specification. */
export type CloveRequest<Path extends RoutePath = never, Body = unknown> = HttpRequest<Path, Body>;
/** The name of `HttpResponse` in the framework's first specification. */
export type CloveResponse = HttpResponse;
