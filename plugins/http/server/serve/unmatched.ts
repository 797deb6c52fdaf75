import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Project } from '../../../../kernel/index.js';
import { discardLater } from '../../body/discard-rest.js';
import { answersJson, sendNotFound, sendProblem } from '../../errors/send-error.js';
import type { HttpIo } from '../../io/io.js';
import { segmentsOf } from '../../request/path-segments.js';
import type { HttpRequest } from '../../request/request.js';
import { NO_ROUTE, type RouteInfo } from '../../request/route-info.js';
import type { FrontHandler } from '../../response/handler.js';
import { HttpResponse } from '../../response/response.js';
import { askFallbacks, fallbacksOf } from '../../routing/fallback.js';
import {
  hasNoLayers,
  type PlaceholderRoute,
  placeholdersOf,
  problemOf,
  setReason,
} from '../../routing/placeholders.js';
import type { HttpRoute } from '../../routing/route.js';
import { NO_PARAMS, type Unmatched } from '../../routing/router.js';
import { type Runner, runnerFor } from './run-handler.js';

/** Functions that pass an unmatched request on to the server in which the app is mounted, by response. */
export const nextOf = new WeakMap<ServerResponse, () => void>();

export interface UnmatchedLookup {
  readonly raw: IncomingMessage;
  readonly path: string;
  /** With the indexes of the routes for other methods. */
  readonly found: Unmatched<number>;
  readonly announced: boolean;
  readonly front: FrontHandler | undefined;
}

type Accept = (
  raw: IncomingMessage,
  res: HttpResponse,
  route: RouteInfo,
  params: Readonly<Record<string, string>>,
) => HttpRequest;

/** Answers requests without a route: by a fallback, or a problem inside all layers of the URL. */
export function unmatchedListener(
  project: Project,
  routes: readonly HttpRoute[],
  io: HttpIo,
  accept: Accept,
  timeout: number,
) {
  const fallbacks = fallbacksOf(project);
  const placeholders = placeholdersOf(project);
  const runners = new Map<PlaceholderRoute, Runner>();

  return (request: UnmatchedLookup, out: ServerResponse): void => {
    const { raw, path, found, announced, front } = request;
    // A server around this one may need the body, even if it has responded.
    if (announced && !nextOf.has(out)) discardLater(raw, out);
    const res = new HttpResponse(out, io);
    if (
      front !== undefined &&
      !(raw.method === 'OPTIONS' && nextOf.has(out) && isLeftToOtherServer(request)) &&
      front(raw, res)
    ) {
      if (announced && nextOf.has(out)) discardLater(raw, out);
      return;
    }
    const segments = fallbacks.length === 0 || found === 'malformed' ? undefined : segmentsOf(path);
    if (segments === undefined) return sendUnmatched(request, res);
    const unmatched = { raw, method: raw.method ?? 'GET', path, segments };
    void askFallbacks(fallbacks, unmatched, res, project, () => sendUnmatched(request, res));
  };

  function sendUnmatched(request: UnmatchedLookup, res: HttpResponse): void {
    const { raw, path, found, announced } = request;
    const isAllowed = found !== 'malformed' && found.allowedMethods.length > 0;
    const next = nextOf.get(res.raw);
    if (next !== undefined && isLeftToOtherServer(request)) return next();
    if (announced && nextOf.has(res.raw)) discardLater(raw, res.raw);
    const placeholder = isAllowed
      ? placeholders.around(found.values.map((index) => routes[index] as HttpRoute))
      : placeholders.at(path);
    if (hasNoLayers(placeholder)) return sendWithoutLayers(raw, found, res, placeholder);
    const req = accept(raw, res, infoOf(placeholder), isAllowed ? found.params : NO_PARAMS);
    setReason(req, found);
    const run = runners.get(placeholder) ?? runnerFor(placeholder.handler, project, timeout);
    runners.set(placeholder, run);
    run(req, res);
  }

  /** There are no layers, so the request object for them isn't created. */
  function sendWithoutLayers(
    raw: IncomingMessage,
    found: UnmatchedLookup['found'],
    res: HttpResponse,
    around: PlaceholderRoute,
  ): void {
    if (found !== 'malformed' && found.allowedMethods.length === 0)
      return sendNotFound(raw, res, around, project);
    const problem = problemOf(found, raw);
    if (problem) return sendProblem(problem, raw, res, answersJson(around, project));
    if (found !== 'malformed') res.header('Allow', found.allowedMethods.join(', '));
    res.end();
  }
}

/**
 * Whether to leave the request to the server around this one, if there is one: this app has no route for the method, or for
 * the method that a preflight asks about. The other server may handle other methods of the same URL.
 */
function isLeftToOtherServer({ raw, found }: UnmatchedLookup): boolean {
  if (found === 'malformed') return false;
  if (found.allowedMethods.length === 0) return true;
  const method = raw.method === 'OPTIONS' ? raw.headers['access-control-request-method'] : raw.method;
  return method !== undefined && !found.allowedMethods.includes(method);
}

const infos = new WeakMap<PlaceholderRoute, RouteInfo>();

function infoOf(around: PlaceholderRoute): RouteInfo {
  const known = infos.get(around);
  if (known) return known;
  const { chain, errors } = around;
  const info = { ...NO_ROUTE, ...(chain ? { chain } : {}), ...(errors ? { errors } : {}) };
  infos.set(around, info);
  return info;
}
