import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Project } from '../../../../kernel/index.js';
import { discardLater } from '../../body/discard-rest.js';
import { bodyReader } from '../../body/index.js';
import type { BodyLimits } from '../../body/limits.js';
import { PendingBody, type ReadBody } from '../../body/pending-body.js';
import { hasBody, isAnnounced } from '../../body/read-body.js';
import { sendError, sendProblem } from '../../errors/send-error.js';
import { chooseIo, type IoSettings } from '../../io/index.js';
import type { Io } from '../../io/io.js';
import { ioFor, observedIo } from '../../io/wrap-io.js';
import { headProblem, MAX_RAW_HEADER_ENTRIES } from '../../request/head-limits.js';
import { HttpRequest, type RequestSettings } from '../../request/request.js';
import { exchangeIds } from '../../request/request-id.js';
import { targetOf } from '../../request/target.js';
import { HttpResponse } from '../../response/response.js';
import { unmatchedFrontOf } from '../../routing/front.js';
import type { FrontHandler } from '../../routing/front-handler.js';
import type { HttpRoute } from '../../routing/route.js';
import { type Match, Router, type Unmatched } from '../../routing/router.js';
import { unmatchedListener } from './unmatched.js';
import type { Exchange } from './observe.js';
import { trackPipelined } from './pipelined.js';
import { type Runner, runnerFor } from './run-handler.js';
import { isWatched, REQUEST_END, REQUEST_START, watchFor } from './watch.js';

export interface HttpSettings extends BodyLimits, IoSettings, RequestSettings {
  /** Whether it answers what the app sends to itself. */
  readonly isInside?: boolean;
  /** Milliseconds that a route has until its response begins, unless it says otherwise; 0: any time. */
  readonly timeout: number;
  /** Whether requests keep the id that they come with, and responses name it. */
  readonly requestIds: boolean;
}

interface PreparedRoute {
  readonly route: HttpRoute;
  readonly read: ReadBody;
  /** The handler gets a stream whatever comes. */
  readonly streams: boolean;
  /** Nothing around the handler decides whether it is called: its body can be read at once. */
  readonly readsFirst: boolean;
  readonly run: Runner;
  readonly io: Io;
  readonly front: FrontHandler | undefined;
  /** Set until it is known that the handler can be called. */
  ready: HttpRoute['ready'];
}

/** Whether a route says nothing of how it is to be answered. */
function isEmpty(meta: object): boolean {
  for (const _ in meta) return false;
  return true;
}

/** The listener for `routes`. Everything that can be decided before the first request is decided here. */
export function createListener(
  routes: readonly HttpRoute[],
  project: Project,
  { direct, ownsServer, requestIds, isInside = false, timeout, ...limits }: HttpSettings,
  again: RequestListener,
): RequestListener {
  const io = observedIo(project, chooseIo({ direct, ownsServer }));
  const watch = watchFor(project, isInside, limits.trustProxy);
  const watches = isWatched(project);
  const router = new Router<PreparedRoute>();
  // Most routes say nothing that makes a difference, and what is made for one would be made for thousands.
  const plain = { read: bodyReader({}, limits, io.read), io: ioFor(project, io, {}) };
  for (const route of routes) {
    const { meta, checks, handler } = route;
    const isPlain = isEmpty(meta);
    router.add(route, {
      route,
      read:
        isPlain && checks === undefined
          ? plain.read
          : bodyReader(meta, limits, io.read, checks?.includes('body')),
      streams: meta.body === 'stream',
      readsFirst: route.readsFirst === true,
      run: runnerFor(handler, project, meta.timeout ?? timeout),
      io: isPlain ? plain.io : ioFor(project, io, meta),
      front: route.front,
      ready: route.ready,
    });
  }
  const unmatchedFront = unmatchedFrontOf(project);
  const hasFront = unmatchedFront !== undefined || routes.some(({ front }) => front !== undefined);
  const answerUnmatched = unmatchedListener(
    project,
    (out) => new HttpResponse(out, plain.io),
    (raw, res, route, params) => {
      const req = new HttpRequest(raw, res.raw, route, params, limits);
      if (hasBody(raw)) expectBody(req, res, plain.read);
      return req;
    },
    timeout,
  );

  const listener: RequestListener = (raw, out) => {
    if (out.socket === null && isParked(raw, out)) return;
    let exchange: Exchange | undefined;
    // No function is called for it where nobody watches.
    if (watches || REQUEST_START.hasSubscribers || REQUEST_END.hasSubscribers) {
      exchange = watch(raw, out, listener);
      if (exchange === undefined) return;
    }
    if (
      !ownsServer ||
      out.socket === null ||
      raw.httpVersionMinor !== 1 ||
      raw.rawHeaders.length > MAX_RAW_HEADER_ENTRIES
    ) {
      const problem = headProblem(raw);
      // Before everything else: the missing header may be the one that a guard checks.
      if (problem !== undefined) return sendProblem(problem, raw, new HttpResponse(out));
    }
    const target = targetOf(raw);
    const mark = target.indexOf('?');
    const method = raw.method ?? 'GET';
    const path = mark === -1 ? target : target.slice(0, mark);
    const found = router.find(method, path);
    const front = hasFront ? frontOf(found, raw, path) : undefined;
    const isGet = method === 'GET' || method === 'HEAD';
    if (found === 'malformed' || 'allowedMethods' in found) {
      const announced = isAnnounced(raw);
      if (!announced) io.endEmpty(raw);
      return answerUnmatched({ raw, path, found, announced, front }, out);
    }

    const { ready, route, read, streams, readsFirst, run } = found.value;
    if (exchange !== undefined) exchange.route = route;
    if (ready !== undefined) return whenReady(found.value, ready, raw, out);
    const req = new HttpRequest(raw, out, route, found.params, limits);
    const res = new HttpResponse(out, found.value.io);
    if (front?.(raw, res)) return isAnnounced(raw) ? discardLater(raw, out) : io.endEmpty(raw);
    // GET and HEAD bodies mean nothing (RFC 9110 §9.3.1); not asking for the headers there saves parsing them.
    if (streams || (!isGet && hasBody(raw))) {
      if (readsFirst) return readThenRun(read, req, res, run);
      expectBody(req, res, read);
    } else if (!isAnnounced(raw)) io.endEmpty(raw);
    else discardLater(raw, out);
    run(req, res);
  };
  return requestIds ? exchangeIds(listener) : listener;

  /** Whether a request is answered later, since many are before it on its connection. */
  function isParked(raw: IncomingMessage, out: ServerResponse): boolean {
    return trackPipelined(out, () => listener(raw, out));
  }

  /** What runs in front of a request. A preflight is for another request: what it asks about is in front of that. */
  function frontOf(
    found: Match<PreparedRoute> | Unmatched<PreparedRoute>,
    raw: IncomingMessage,
    path: string,
  ): FrontHandler | undefined {
    const asked = raw.method === 'OPTIONS' ? raw.headers['access-control-request-method'] : undefined;
    const answering = asked === undefined ? found : router.find(asked, path);
    if (answering === 'malformed') return unmatchedFront;
    if (!('allowedMethods' in answering)) return answering.value.front;
    const [first] = answering.values;
    return first ? first.front : unmatchedFront;
  }

  /** Outside of the listener, where the variables of these callbacks would be allocated for every request. */
  function whenReady(
    endpoint: PreparedRoute,
    ready: () => Promise<void>,
    raw: IncomingMessage,
    out: ServerResponse,
  ): void {
    ready().then(
      () => {
        endpoint.ready = undefined;
        listener(raw, out);
      },
      // This version is broken by it: another one answers.
      () => void project.run.verification.settled.then(() => again(raw, out)),
    );
  }

  function readThenRun(read: ReadBody, req: HttpRequest, res: HttpResponse, run: Runner): void {
    // The parser calls back, and has no asynchronous context: the handler gets that of the request. A promise takes more memory.
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
    HttpRequest.attachPendingBody(req, new PendingBody(req.raw, res.raw, read, lost));
  }
}
