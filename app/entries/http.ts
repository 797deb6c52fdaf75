/// <reference types="node" preserve="true" />
/**
 * The entry for plugins that have to do with HTTP, beside `fwkit/plugin`, published as `fwkit/http`. The built-in
 * plugins use nothing else of the plugins `http` and `context`.
 */

export { readinessPathOf } from '../../plugins/health/index.js';
export {
  type Around,
  AroundStage,
  addFallback,
  addPageValue,
  around,
  type BodyHead,
  type Convention,
  DefinitionError,
  directoriesOf,
  type Exchange,
  type Fallback,
  type FrontHandler,
  fetchInside,
  HttpProblem,
  type HttpRoute,
  type HttpServer,
  type HttpTransport,
  httpRoute,
  httpRoutes,
  httpTransportOf,
  type Io,
  isHttpRoute,
  isInside,
  isStandardSchema,
  jsonSchemaOf,
  METHOD_OF_SUFFIX,
  type Method,
  mapHttpRoutes,
  noteRequest,
  observeRequests,
  type RequestFailure,
  type RequestObserver,
  type RouteInfo,
  Router,
  serverOf,
  servesHttp,
  type UnmatchedRequest,
  type Wrapped,
  wrapIo,
} from '../../plugins/http/index.js';
export { middlewaresOf } from '../../plugins/middlewares/index.js';
export type {} from './codes.js';
