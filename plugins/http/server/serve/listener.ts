import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Project } from '../../../../kernel/index.js';
import type { BodyLimits } from '../../body/bytes.js';
import { discardLater } from '../../body/discard-rest.js';
import { bodyReader } from '../../body/index.js';
import { BodyOnDemand, type ReadBody } from '../../body/pending-body.js';
import { hasBody, isAnnounced } from '../../body/read-body.js';
import { sendError, sendProblem } from '../../errors/send-error.js';
import { chooseIo, type IoSettings } from '../../io/index.js';
import type { HttpIo } from '../../io/io.js';
import { ioFor } from '../../io/wrap-io.js';
import type { Exchange } from '../../request/exchange.js';
import { arrivalOf, REQUEST_END, REQUEST_START } from '../../request/exchange.js';
import { hasOddHost } from '../../request/forwarded.js';
import { headProblem, MAX_RAW_HEADER_ENTRIES } from '../../request/head-limits.js';
import { HttpRequest, type RequestSettings } from '../../request/request.js';
import { exchangeIds } from '../../request/request-id.js';
import { targetOf } from '../../request/target.js';
import type { FrontHandler } from '../../response/handler.js';
import { HttpResponse } from '../../response/response.js';
import { frontFolder } from '../../routing/map-http-routes.js';
import { placeholdersOf } from '../../routing/placeholders.js';
import type { HttpRoute } from '../../routing/route.js';
import { type Match, routerFor, type Unmatched } from '../../routing/router.js';
import { AroundStage, fold, layersAround } from './around.js';
import { exchangeStarter, isObserved } from './observe.js';
import { trackPipelined } from './pipelined.js';
import { type Runner, runnerFor } from './run-handler.js';
import { unmatchedListener } from './unmatched.js';

export interface HttpSettings extends BodyLimits, IoSettings, Omit<RequestSettings, 'project'> {
  /** Whether the listener answers requests that the app sends to itself. */
  readonly isInternal?: boolean;
  /** Milliseconds until the response of a route must begin, unless the route overrides it; 0: no limit. */
  readonly timeout: number;
  /** Whether requests keep the id from the client, and responses contain it. */
  readonly requestIds: boolean;
}

interface PreparedRoute {
  readonly route: HttpRoute;
  readonly read: ReadBody;
  /** Whether the handler gets the body as a stream. */
  readonly streams: boolean;
  /** Whether the body can be read immediately, because nothing around the handler decides whether to call it. */
  readonly readsFirst: boolean;
  readonly run: Runner;
  readonly io: HttpIo;
  readonly front: FrontHandler | undefined;
  /** Set until it is known that the handler can be called. */
  ready: HttpRoute['ready'];
}

type Found = Match<number> | Unmatched<number>;

const SLASH = 0x2f;

const MEASURED = Symbol('fwkit.seen');

/** Whether it is new: a request that was passed on, by another worker too, or a handshake emitted again, is measured once. */
function startsMeasurement(raw: IncomingMessage & { [MEASURED]?: true }): boolean {
  if (raw[MEASURED] || arrivalOf(raw)) return false;
  raw[MEASURED] = true;
  return true;
}

function isEmpty(meta: object): boolean {
  for (const _ in meta) return false;
  return true;
}

/**
 * Create the listener for `routes`, with all `around` functions of the project. The needs of a route are determined before its first
 * request. `again` handles a request that another version must answer.
 */
export function createListener(
  routes: readonly HttpRoute[],
  project: Project,
  { direct, ownsServer, requestIds, isInternal = false, timeout, ...rest }: HttpSettings,
  again: RequestListener,
): RequestListener {
  const limits = { ...rest, project };
  const io = chooseIo({ direct, ownsServer });
  const observe = exchangeStarter(project, isInternal, limits.trustProxy);
  const observes = isObserved(project);
  const router = routerFor(routes, project);
  /** By the index in `routes`: a route is prepared for its first request. */
  const prepared: (PreparedRoute | undefined)[] = [];
  // Most routes have no metadata that matters, so they share one object instead of thousands.
  const plainIo = ioFor(project, io, {});
  const plain = { read: bodyReader({}, limits, plainIo.read), io: plainIo };
  const frontOfAll = frontFolder(project);
  // A plugin may throw for metadata, which keeps the version from being served.
  for (const [index, { meta }] of routes.entries()) if (!isEmpty(meta)) prepare(index);
  const placeholders = placeholdersOf(project);
  const hasFront = placeholders.hasFronts || routes.some(({ fronts }) => fronts !== undefined);
  const answerUnmatched = unmatchedListener(
    project,
    routes,
    plain.io,
    (raw, res, route, params) => {
      const req = new HttpRequest(raw, res.raw, route, params, limits);
      if (hasBody(raw)) expectBody(req, res, plain.read);
      return req;
    },
    timeout,
  );

  const listener: RequestListener = (raw, out) => {
    const { url } = raw;
    // Nearly always true, which saves a call.
    const target = url?.charCodeAt(0) === SLASH ? url : targetOf(raw);
    const mark = target.indexOf('?');
    const path = mark === -1 ? target : target.slice(0, mark);
    const found = router.find(raw.method ?? 'GET', path);
    if (out.socket === null && isParked(raw, out, path, found)) return;
    answer(raw, out, path, found);
  };
  return withLayers();

  function prepare(index: number): PreparedRoute {
    const route = routes[index] as HttpRoute;
    const { meta, checks, handler } = route;
    const isPlain = isEmpty(meta);
    const own = isPlain ? plain.io : ioFor(project, io, meta);
    const created: PreparedRoute = {
      route,
      read:
        isPlain && checks === undefined
          ? plain.read
          : bodyReader(meta, limits, own.read, checks?.includes('body')),
      streams: meta.body === 'stream',
      readsFirst: route.readsFirst === true,
      run: runnerFor(handler, project, meta.timeout ?? timeout),
      io: own,
      front: frontOfAll(route.fronts),
      ready: route.ready,
    };
    prepared[index] = created;
    return created;
  }

  /** Answer a request for which the router has returned a result. */
  function answer(raw: IncomingMessage, out: ServerResponse, path: string, found: Found): void {
    let exchange: Exchange | undefined;
    // Without observers, no function is called.
    if (observes || REQUEST_START.hasSubscribers || REQUEST_END.hasSubscribers) exchange = observe(raw, out);
    if (
      !ownsServer ||
      out.socket === null ||
      raw.httpVersionMinor !== 1 ||
      raw.rawHeaders.length > MAX_RAW_HEADER_ENTRIES ||
      hasOddHost(raw.rawHeaders)
    ) {
      const problem = headProblem(raw);
      // Before everything else, because the dropped header may be one that a guard checks.
      if (problem !== undefined) return sendProblem(problem, raw, new HttpResponse(out));
    }
    const front = hasFront ? frontOf(found, raw, path) : undefined;
    if (found === 'malformed' || 'allowedMethods' in found) {
      const announced = isAnnounced(raw);
      if (!announced) io.endEmpty(raw);
      return answerUnmatched({ raw, path, found, announced, front }, out);
    }

    const answering = prepared[found.value] ?? prepare(found.value);
    const { ready, route, read, streams, readsFirst, run } = answering;
    if (exchange !== undefined) exchange.route = route;
    if (ready !== undefined) return whenReady(ready, answering, raw, out, path, found);
    const req = new HttpRequest(raw, out, route, found.params, limits);
    const res = new HttpResponse(out, answering.io);
    if (front?.(raw, res)) return isAnnounced(raw) ? discardLater(raw, out) : io.endEmpty(raw);
    // A body of GET or HEAD has no meaning (RFC 9110 §9.3.1); not reading the headers saves parsing them.
    if (streams || (raw.method !== 'GET' && raw.method !== 'HEAD' && hasBody(raw))) {
      if (readsFirst) return readThenRun(read, req, res, run);
      expectBody(req, res, read);
    } else if (!isAnnounced(raw)) io.endEmpty(raw);
    else discardLater(raw, out);
    run(req, res);
  }

  /** Whether a request is answered later because many requests precede it on its connection. */
  function isParked(raw: IncomingMessage, out: ServerResponse, path: string, found: Found): boolean {
    return trackPipelined(out, () => answer(raw, out, path, found));
  }

  function withLayers(): RequestListener {
    const layers = [...layersAround(project)];
    if (requestIds) layers.unshift({ stage: AroundStage.ids, run: exchangeIds });
    const observing = layers.filter(({ stage }) => stage >= AroundStage.observe);
    const observed = fold(observing, listener);
    // The measurement of a request begins when its turn comes.
    const observedOnce: RequestListener = (raw, out) =>
      (startsMeasurement(raw) ? observed : listener)(raw, out);
    const observedInOrder: RequestListener = (raw, out) => {
      if (out.socket !== null || !trackPipelined(out, () => observedOnce(raw, out))) observedOnce(raw, out);
    };
    return fold(
      layers.filter(({ stage }) => stage < AroundStage.observe),
      observing.length === 0 ? listener : observedInOrder,
    );
  }

  /** The fronts of a request. A preflight uses the fronts of the request that it asks about. */
  function frontOf(found: Found, raw: IncomingMessage, path: string): FrontHandler | undefined {
    const actual = raw.method === 'OPTIONS' ? raw.headers['access-control-request-method'] : undefined;
    const answering = actual === undefined ? found : router.find(actual, path);
    if (answering === 'malformed') return frontOfAll(placeholders.frontsAt('*'));
    const [first] = 'allowedMethods' in answering ? answering.values : [answering.value];
    return first === undefined
      ? frontOfAll(placeholders.frontsAt(path))
      : (prepared[first] ?? prepare(first)).front;
  }

  /** Outside of the listener, which would otherwise allocate the variables of these callbacks for every request. */
  function whenReady(
    ready: () => Promise<void>,
    route: PreparedRoute,
    raw: IncomingMessage,
    out: ServerResponse,
    path: string,
    found: Found,
  ): void {
    ready().then(
      () => {
        route.ready = undefined;
        answer(raw, out, path, found);
      },
      // This version is invalid, so another one answers.
      () => void project.run.verification.settled.then(() => again(raw, out)),
    );
  }

  function readThenRun(read: ReadBody, req: HttpRequest, res: HttpResponse, run: Runner): void {
    // The parser calls back without an asynchronous context, so the handler gets the context of the request. A promise takes
    // more memory.
    const context = new AsyncResource('fwkit.body');
    read(req.raw, res.raw, (failure, body) => {
      if (failure !== undefined) {
        discardLater(req.raw, res.raw);
        return sendError(failure, req, res, project);
      }
      HttpRequest.setBody(req, body);
      context.runInAsyncScope(run, undefined, req, res);
    });
  }

  function expectBody(req: HttpRequest, res: HttpResponse, read: ReadBody): void {
    const lost = (failure: unknown): void => sendError(failure, req, res, project);
    HttpRequest.attachPendingBody(req, new BodyOnDemand(req.raw, res.raw, read, lost));
  }
}
