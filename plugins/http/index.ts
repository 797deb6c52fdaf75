import type { RequestListener, Server } from 'node:http';
import {
  definePlugin,
  type Notice,
  type Plugin,
  type Project,
  type Runtime,
  Stage,
} from '../../kernel/index.js';
import { onDemand } from '../../loader/index.js';
import { logSafely } from '../../scope/index.js';
import { withBody } from './body/pending-body.js';
import type { OpenPages } from './errors/dev/page-reload.js';
import { logIo } from './io/index.js';
import { httpOptions } from './options.js';
import { isInternal } from './request/exchange.js';
import { httpSettingsOf, type TrustProxy } from './request/project-settings.js';
import { healthPaths, hiddenRoutes, tapLayers } from './routing/layers.js';
import { mapHttpRoutes } from './routing/map-http-routes.js';
import { type HttpRoute, isHttpRoute, withoutResponseChecks } from './routing/route.js';
import { serveInternalRequests } from './server/listen/internal-requests.js';
import { HttpServer } from './server/listen/server.js';
import { AroundStage, around, fold } from './server/serve/around.js';
import { withTimeout } from './server/serve/deadline.js';
import { createListener } from './server/serve/listener.js';
import { type HttpTransport, httpTransportOf, servesHttp } from './server/transport.js';

export type { FilePart, Part } from './body/multipart-parser.js';
export { type BodyHead, type HttpIo, wrapIo } from './io/wrap-io.js';
export { httpOptions } from './options.js';
export { type Exchange, isInternal, type RequestFailure } from './request/exchange.js';
export { error, HttpError, HttpProblem, isHttpError } from './request/http-error.js';
export type { AnyRequest, HttpRequest } from './request/request.js';
export { noteRequest } from './request/request-id.js';
export type { ParamNames, Paths, RouteInfo, RouteMeta, RoutePath, Routes } from './request/route-info.js';
export type { FrontHandler, Handler } from './response/handler.js';
export { addPageValue } from './response/page-values.js';
export type { CookieOptions, HttpResponse } from './response/response.js';
export type { Convention } from './routing/convention.js';
export {
  all,
  type ByMethod,
  del,
  type Endpoint,
  get,
  head,
  options,
  patch,
  post,
  put,
} from './routing/endpoint.js';
export { addFallback, type Fallback, type UnmatchedRequest } from './routing/fallback.js';
export { fromNode } from './routing/from-node.js';
export { type HttpRoutesOptions, httpRoutes } from './routing/http-routes.js';
export { mapHttpRoutes, type Wrapped } from './routing/map-http-routes.js';
export { directoriesOf, fileUrls } from './routing/placeholders.js';
export { type HttpRoute, httpRoute, isHttpRoute, METHOD_OF_SUFFIX, type Method } from './routing/route.js';
export { Router } from './routing/router.js';
export type {
  Annotated,
  Definition,
  ErrorStatus,
  Errors,
  Parts,
  Responses,
  SuccessStatus,
} from './schema/definition.js';
export { DefinitionError } from './schema/definition-error.js';
export { type Json as JsonSchema, jsonSchemaOf } from './schema/json-schema.js';
export {
  type In,
  type InputIssue,
  isStandardSchema,
  type Out,
  type StandardSchema,
} from './schema/standard-schema.js';
export { fetchInternally } from './server/listen/internal-requests.js';
export type { HttpServer } from './server/listen/server.js';
export { type Around, AroundStage, around } from './server/serve/around.js';
export { observeRequests, type RequestObserver } from './server/serve/observe.js';
export { type HttpTransport, httpTransportOf, servesHttp } from './server/transport.js';

/** The HTTP server of a runtime. All versions of the project share it. */
export const serverOf = (runtime: Runtime): Promise<HttpServer> =>
  runtime.getOrCreate('http.server', () => new HttpServer(runtime));

/** Runs handlers without a client connection. Loaded on first use. */
export const loadDetachedRunner = onDemand(() => import('./server/listen/fetch.js'));

/** Answer a web Request with a server, without a socket. Loaded on first use. `ends`: the known properties of the client's connection. */
export const fetchFrom = async (server: Server, request: Request, ends?: object): Promise<Response> =>
  (await loadDetachedRunner()).fetchFrom(server, request, ends);

/** Send a request with `send`, and follow redirects within its origin. Loaded on first use. */
export const followRedirects = async (
  send: (request: Request) => Promise<Response>,
  request: Request,
): Promise<Response> => (await loadDetachedRunner()).followRedirects(send, request);

/** Returns a function that connects to a server in memory, without a socket. */
export const memoryConnections = async () => (await loadDetachedRunner()).connectTo;

/** A body of GET or HEAD has no meaning (RFC 9110 §9.3.1). */
const takesBody = ({ method, meta }: HttpRoute): boolean =>
  meta.body === 'stream' || (method !== 'GET' && method !== 'HEAD');

/** The error pages that are open in browsers. Their module is loaded in development only. */
const pagesOf = (runtime: Runtime): Promise<OpenPages> =>
  runtime.getOrCreate(
    'http.pages',
    async () => new (await import('./errors/dev/page-reload.js')).OpenPages(runtime),
  );

/** Listen, once for each runtime. A port that is in use is reported before anything starts. */
const listen = (runtime: Runtime, server: HttpServer, transport: HttpTransport): Promise<void> =>
  runtime.getOrCreate('http.listening', () => server.listen(transport));

/** Listen, and answer every request with the mistakes that prevent the project from being served, until something else answers. For development. */
export async function serveMistakes(runtime: Runtime, notices: readonly Notice[]): Promise<void> {
  const transport = httpTransportOf(runtime);
  if (!transport) throw new Error('serveMistakes() needs a run that listens');
  const [server, pages, { mistakesListener }, { developmentLayers }] = await Promise.all([
    serverOf(runtime),
    pagesOf(runtime),
    import('./errors/dev/index.js'),
    import('./server/listen/development.js'),
  ]);
  await listen(runtime, server, transport);
  // The config can't be read, so the other allowed host names are unknown.
  const advice = 'See the terminal for the mistakes that keep the project from being served';
  const layers = developmentLayers({ host: transport.host, allowed: [], advice }, pages);
  server.replaceListener(fold(layers, mistakesListener(notices, pages)));
  server.commit();
}

/** Record, for the verification of a version, that the version has answered an external request. */
function noteAnswers(project: Project): void {
  const { verification } = project.run;
  around(project, { name: 'http:answered', stage: AroundStage.pages }, (raw, out, next) => {
    if (!isInternal(raw)) verification.hasAnswered = true;
    next(raw, out);
  });
}

/**
 * Add the layers of development. They reject unknown hosts, because error pages show source code that a page of another site
 * must not read. They also hold the connections of error pages that wait for the next version.
 */
async function addDevelopmentLayers(
  project: Project,
  host: string,
  allowed: readonly string[],
  pages: OpenPages | undefined,
): Promise<void> {
  const { developmentLayers, ADD_NAME } = await import('./server/listen/development.js');
  for (const { name, stage, run } of developmentLayers({ host, allowed, advice: ADD_NAME }, pages))
    around(project, { name, stage }, run);
}

/** Reject requests for hosts that are not in `http.hosts`, before any other layer. Its module is loaded only if the option is set. */
async function requireHosts(
  project: Project,
  names: readonly string[],
  trustProxy: TrustProxy,
): Promise<void> {
  const { requireAllowedHost } = await import('./server/listen/allowed-hosts.js');
  const exempt = healthPaths(project);
  const report = (message: string) => logSafely(project.logger, 'warn', message);
  const check = requireAllowedHost({ names, trustProxy, exempt, report });
  around(project, { name: 'http:hosts', stage: AroundStage.host }, (raw, out, next) =>
    isInternal(raw) ? next(raw, out) : check(raw, out, next),
  );
}

/** The HTTP transport: one Node server for all HTTP routes. */
export function http(): Plugin {
  return definePlugin({
    name: 'http',
    options: httpOptions,
    guide: () => import('./guide.js'),
    apply(hooks, settings) {
      // At this stage, all routes exist and no plugin has used their checks yet.
      hooks.resolve.tapPromise({ name: 'http:checks', stage: Stage.check }, async (routes, project) => {
        const { trustProxy, problems, maxJsonDepth, checkResponses } = settings;
        Object.assign(httpSettingsOf(project), { trustProxy, problems, maxJsonDepth, checkResponses });
        return checkResponses ? routes : withoutResponseChecks(routes);
      });

      hooks.resolve.tapPromise({ name: 'http:timeout', stage: Stage.inside }, async (routes) =>
        mapHttpRoutes(
          routes,
          'http:timeout',
          ({ handler, meta }) =>
            (meta.timeout ?? settings.timeout) > 0
              ? { handler: withTimeout(handler), droppedIfInnermost: true }
              : undefined,
          [settings.timeout],
        ),
      );

      hooks.resolve.tapPromise({ name: 'http:body', stage: Stage.inside }, async (routes) =>
        mapHttpRoutes(
          routes,
          'http:body',
          (route) =>
            takesBody(route) ? { handler: withBody(route.handler), droppedIfInnermost: true } : undefined,
          [],
        ),
      );

      tapLayers(hooks);

      hooks.serve.tapPromise(
        { name: 'http', stage: Stage.finish },
        async ({ runtime, routes, project, onActivate, onStart, onClose }) => {
          const server = servesHttp(runtime) ? await serverOf(runtime) : undefined;
          const again: RequestListener = (raw, out) =>
            server ? server.dispatch(raw, out) : void out.writeHead(503).end();
          const listenerFor = (how: { ownsServer: boolean; isInternal?: boolean }): RequestListener =>
            createListener(
              [...routes.filter(isHttpRoute), ...hiddenRoutes(project)],
              project,
              { ...settings, ...how },
              again,
            );
          const inside = () => listenerFor({ ownsServer: false, isInternal: true });
          onClose(await serveInternalRequests(project, runtime, inside, settings.drainLimit));
          if (!server) return;
          const transport = httpTransportOf(runtime);
          server.configure(settings, project.logger);
          if (transport) await listen(runtime, server, transport);
          const own = transport !== undefined;
          if (!project.previous) logIo({ ...settings, ownsServer: own }, project.logger);
          const pages =
            runtime.reloads && project.mode === 'development' ? await pagesOf(runtime) : undefined;
          if (runtime.reloads) {
            if (transport) await addDevelopmentLayers(project, transport.host, settings.devHosts, pages);
            noteAnswers(project);
          }
          if (settings.hosts.length > 0 && project.mode === 'production')
            await requireHosts(project, settings.hosts, settings.trustProxy);
          const listener = listenerFor({ ownsServer: own });
          onActivate(() => {
            const { idle, rollback } = server.replaceListener(listener);
            const closePages = pages?.begin(project);
            onClose(idle);
            return () => {
              rollback();
              closePages?.();
            };
          });
          onStart(() => server.commit());
        },
      );
    },
  });
}
