/// <reference types="node" preserve="true" />
/** The entry for plugins that serve or intercept HTTP, published as `fwkit/http` beside `fwkit/plugin`. */

export { readinessPathOf } from '../../plugins/health/index.js';
export {
  type Around,
  AroundStage,
  addFallback,
  addPageValue,
  around,
  type Convention,
  DefinitionError,
  directoriesOf,
  type Exchange,
  type FrontHandler,
  fetchInternally,
  fileUrls,
  type HttpIo,
  HttpProblem,
  type HttpRoute,
  type HttpServer,
  type HttpTransport,
  httpRoute,
  httpRoutes,
  httpTransportOf,
  isHttpRoute,
  isInternal,
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
  wrapIo,
} from '../../plugins/http/index.js';
export { middlewaresOf } from '../../plugins/middlewares/index.js';
export { isView } from '../../plugins/views/index.js';
export type {} from './codes.js';
