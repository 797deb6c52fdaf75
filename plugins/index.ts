/// <reference types="node" preserve="true" />
/** What an app may import: published as `fwkit`. */
export type { Logger, RuntimeCtx } from '../kernel/index.js';
export { type App, type AppOptions, createApp } from './app.js';
export { type BootstrapOptions, bootstrap } from './bootstrap.js';
export {
  type Assigned,
  di,
  type Lifetime,
  type Provided,
  type ProvidedToSingleton,
  type Provider,
  type RequestTools,
  type SessionTools,
  type SingletonCtx,
  type SingletonTools,
  type Storable,
  service,
} from './context/index.js';
export {
  addFallback,
  all,
  type CloveRequest,
  type CloveResponse,
  type CookieOptions,
  del,
  type Endpoint,
  error,
  type Fallback,
  type FieldPart,
  type FilePart,
  get,
  type Handler,
  HttpError,
  head,
  isHttpError,
  options,
  type Part,
  patch,
  post,
  put,
  type RouteMeta,
  type RoutePath,
  type Routes,
  type Unrouted,
} from './http/index.js';
export { type Middleware, type MiddlewareModule, middleware, type Next } from './middlewares/index.js';
export { type Config, defineConfig } from './open.js';
export { endSession, renewSession, type SessionStore } from './session/index.js';
export { type EventFields, type Events, type EventsHandler, sse } from './sse/index.js';
export { type EngineOptions, type RenderView, type View, type ViewEngine, view } from './views/index.js';
export {
  type Closing,
  type Message,
  type Rooms,
  type Sendable,
  type Socket,
  type SocketEndpoint,
  type SocketHandler,
  ws,
} from './ws/index.js';
