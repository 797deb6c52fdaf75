import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Project } from '../../../kernel/index.js';
import { discardLater } from '../body/discard-rest.js';
import { answersJson, sendNotFound, sendProblem } from '../errors/send-error.js';
import type { HttpRequest } from '../request/request.js';
import { NO_ROUTE, type RouteInfo } from '../request/route-info.js';
import type { HttpResponse } from '../response/response.js';
import type { HttpRoute } from '../routing/route.js';
import type { Unmatched } from '../routing/router.js';
import { segmentsOf } from '../routing/segments.js';
import { nextOf } from '../server/mounted.js';
import { type Runner, runnerFor } from '../server/run-handler.js';
import { askFallbacks, fallbacksOf } from './fallback.js';
import { isBare, problemOf, type StandIn, setReason } from './stand-in.js';
import { standInsOf } from './stand-ins.js';

/** A request that matches no route, and the reason. */
export interface UnroutedRequest {
  readonly raw: IncomingMessage;
  readonly path: string;
  readonly found: Unmatched<{ readonly route: HttpRoute }>;
  /** Whether it announces a body. */
  readonly announced: boolean;
}

type Respond = (out: ServerResponse) => HttpResponse;
type Accept = (
  raw: IncomingMessage,
  res: HttpResponse,
  route: RouteInfo,
  params: Readonly<Record<string, string>>,
) => HttpRequest;

/** Answers requests that no route does: by a fallback, else with a problem that all layers of the URL are around. */
export function unrouted(project: Project, respond: Respond, accept: Accept) {
  const fallbacks = fallbacksOf(project);
  const standIns = standInsOf(project);
  const runners = new Map<StandIn, Runner>();

  return (request: UnroutedRequest, out: ServerResponse): void => {
    const { raw, path, found, announced } = request;
    // A server around this one may want the body, even when it has answered.
    if (announced && !nextOf.has(out)) discardLater(raw, out);
    const res = respond(out);
    const segments = fallbacks.length === 0 || found === 'malformed' ? undefined : segmentsOf(path);
    if (segments === undefined) return sendUnmatched(request, res);
    const unrouted = { raw, method: raw.method ?? 'GET', path, segments };
    void askFallbacks(fallbacks, unrouted, res, project, () => sendUnmatched(request, res));
  };

  function sendUnmatched({ raw, path, found, announced }: UnroutedRequest, res: HttpResponse): void {
    const isAllowed = found !== 'malformed' && found.allow.length > 0;
    // A server around this one may have an answer.
    const next = found === 'malformed' || isAllowed ? undefined : nextOf.get(res.raw);
    if (next) return next();
    if (announced && nextOf.has(res.raw)) discardLater(raw, res.raw);
    const around = isAllowed ? standIns.around(found.values.map(({ route }) => route)) : standIns.at(path);
    if (isBare(around)) return sendBare(raw, found, res, around);
    const req = accept(raw, res, infoOf(around), isAllowed ? found.params : NO_PARAMS);
    setReason(req, found);
    const run = runners.get(around) ?? runnerFor(around.handler, project);
    runners.set(around, run);
    run(req, res);
  }

  /** No layer is around it, so the request that layers would get is not made. */
  function sendBare(
    raw: IncomingMessage,
    found: UnroutedRequest['found'],
    res: HttpResponse,
    around: StandIn,
  ): void {
    if (found !== 'malformed' && found.allow.length === 0) return sendNotFound(raw, res, around, project);
    const problem = problemOf(found, raw);
    if (problem) return sendProblem(problem, raw, res, answersJson(around, project));
    if (found !== 'malformed') res.header('Allow', found.allow.join(', '));
    res.end();
  }
}

const infos = new WeakMap<StandIn, RouteInfo>();

function infoOf(around: StandIn): RouteInfo {
  const known = infos.get(around);
  if (known) return known;
  const { chain, errors } = around;
  const info = { ...NO_ROUTE, ...(chain ? { chain } : {}), ...(errors ? { errors } : {}) };
  infos.set(around, info);
  return info;
}

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze(Object.create(null));
