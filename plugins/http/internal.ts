/** Exports for the other built-in plugins, `app/` and `testkit/` beyond the public names in `index.ts`. */
export { Bytes } from './body/bytes.js';
export { isDeeper } from './body/json-depth.js';
export { isFormBody } from './body/media-type.js';
export { hasBody } from './body/read-body.js';
export { logUnavailable, retrySeconds } from './errors/unavailable.js';
export type { HeaderList, HttpIo } from './io/io.js';
export { codesBodies, isStable, markStable } from './io/wrap-io.js';
export type { EventStreams } from './page-kit/event-streams.js';
export { isConnectionEnded, isEndOf, rejectEnded } from './request/connection-ended.js';
export { CookieJar } from './request/cookie-jar.js';
export { type Arrival, arrivalOf, endArrival } from './request/exchange.js';
export { httpsCheckOf, isOrigin } from './request/forwarded.js';
export { NOT_FOUND } from './request/http-error.js';
export {
  decoded,
  hasParentDirectory,
  isAtOrBelow,
  isPathPrefix,
  isUnmatchable,
  readPath,
} from './request/path-segments.js';
export { httpSettingsOf } from './request/project-settings.js';
export { HttpRequest, projectOf } from './request/request.js';
export { notesOf } from './request/request-id.js';
export type { AnyParams, AnyQuery, ParamsOf } from './request/route-info.js';
export { inContext } from './response/generator.js';
export { type Answer, type AnswerResult, answers } from './response/handler.js';
export { chooseCoding, headerOf, removeHeader } from './response/headers.js';
export { nonceOf, readNonceOf } from './response/nonce.js';
export { offerRenderer, type PageValue, pageValuesOf, viewRendererOf } from './response/page-values.js';
export { givenHeadersOf, keepPrivate } from './response/response-head.js';
export { checkPiece, isStreamBody, type StreamBody } from './response/stream.js';
export { definedEndpoint } from './routing/endpoint.js';
export { type Guards, guardsOf } from './routing/guards.js';
export { healthPaths } from './routing/layers.js';
export { routeWrapper } from './routing/map-http-routes.js';
export { isPlaceholder, placeholdersBelow } from './routing/placeholders.js';
export { copyRoute, deriveRoute, haveSameItems, routeFault, type TimeLayer } from './routing/route.js';
export type { Match, NoMatch, Unmatched } from './routing/router.js';
export { errorCheck } from './schema/check-output.js';
export { CheckedSending, checkedOutput } from './schema/checked-sending.js';
export { textConversion } from './schema/convert-text.js';
export type {
  AnyDefinition,
  CheckedPart,
  ErrorSchemas,
  InputDefinition,
  RouteTool,
  ToolAnnotations,
} from './schema/definition.js';
export { DefinitionError } from './schema/definition-error.js';
export { definitionOf } from './schema/definition-mistakes.js';
export {
  dereference,
  jsonSchemaOf,
  keyIn,
  listed,
  MAX_DEPTH,
  remedyFor,
  shapeOf,
  withReferences,
} from './schema/json-schema.js';
export {
  type Checked,
  describeIssues,
  type Issue,
  isStandardSchema,
  type Out,
  pathOf,
  plainIssues,
  type SchemaIssue,
  type StandardSchema,
} from './schema/standard-schema.js';
export type { ToolView, ViewName, Views } from './schema/tool-view.js';
export { unsendableIn } from './schema/unsendable.js';
export { ActiveWork } from './server/drain/active-work.js';
export { closeWhenEmpty, type ListeningHandle } from './server/drain/backlog.js';
export { type Handover, type Moves, movesOf, type Parcel, requestHead } from './server/drain/handover.js';
export type { DevAccess } from './server/listen/development.js';
export type { OnHandshake, UpgradeServer } from './server/listen/upgrades.js';
export { releaseVersion } from './server/serve/response-end.js';
export { nextOf } from './server/serve/unmatched.js';
export { EMBEDDED, httpTransport } from './server/transport.js';

/** Serves the framework's own pages. Loaded with the first of them. */
export const pageKit = () => import('./page-kit/index.js');
