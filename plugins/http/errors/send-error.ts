import type { IncomingMessage } from 'node:http';
import type { Project } from '../../../kernel/index.js';
import { isObject, slotKey } from '../../../kernel/index.js';
import { onDemand } from '../../../loader/index.js';
import { isUnavailable } from '../../../peers/index.js';
import { logSafely, scopeLogger } from '../../../scope/index.js';
import { formatFor } from '../request/accept.js';
import { isEndOf } from '../request/connection-ended.js';
import { exchangeOf, REQUEST_ERROR, type RequestFailure } from '../request/exchange.js';
import { type HttpError, HttpProblem, isHttpError, NOT_FOUND } from '../request/http-error.js';
import { httpSettingsOf } from '../request/project-settings.js';
import { HttpRequest } from '../request/request.js';
import { NO_ROUTE, type RouteInfo } from '../request/route-info.js';
import type { HttpResponse } from '../response/response.js';
import { markJsonMistake } from '../response/stream.js';
import type { ListedRoute } from './dev/similar-routes.js';
import { errorPage, resetForError, sendPage, titleOf, UNEXPECTED_FAILURE } from './error-page.js';

import { unavailable } from './unavailable.js';

const pages = onDemand(() => import('./dev/index.js'));

/**
 * Answer a request whose handling threw an error, with the headers that were set so far. An unexpected error is logged once,
 * and shown to the client in development only. Accepts any thrown value, and never throws.
 */
export function sendError(thrown: unknown, req: HttpRequest, res: HttpResponse, project: Project): void {
  try {
    if (thrown === NOT_FOUND && req.route.kind === NO_ROUTE.kind && !res.sent)
      return sendNotFound(req.raw, res, req.route, project);
    if (thrown instanceof HttpProblem)
      return sendProblem(thrown, req.raw, res, answersJson(req.route, project));
    // If the response has begun, the rest is cut off.
    if (isUnavailable(thrown))
      return sendProblem(
        unavailable(thrown, req, res, project),
        req.raw,
        res,
        answersJson(req.route, project),
      );
    if (isHttpError(thrown) && !res.sent) return answerDeliberate(thrown, req, res, project);
    if (isResponse(thrown) && !res.sent)
      return void res.respond(thrown).catch((second) => answerUnexpected(second, req, res, project));
  } catch (second) {
    // The error itself can't be sent: its body is no longer serializable, or it is a Proxy that throws.
    return answerUnexpected(second, req, res, project);
  }
  // The client has disconnected: its body is incomplete, or the handler uses `req.signal`.
  if (isAborted(thrown, req.raw) || (res.raw.closed && isEndOf(thrown, [HttpRequest.signalOf(req)]))) return;
  answerUnexpected(thrown, req, res, project);
}

/** The name is compared first, because `Response` loads Node's fetch, which takes 20 ms. */
const isResponse = (thrown: unknown): thrown is Response =>
  typeof thrown === 'object' &&
  thrown !== null &&
  Symbol.toStringTag in thrown &&
  thrown[Symbol.toStringTag] === 'Response' &&
  thrown instanceof Response;

/** Whether errors of a route are always JSON, whatever the client accepts: an API responds in one format. */
export const answersJson = ({ errors }: Pick<RouteInfo, 'errors'>, { mode }: Project): boolean =>
  errors === 'json' && mode !== 'development';

/** Send the body of `error(status, body)` unchanged, or its message on a page. Logs errors of the server, 500 and above. */
function answerDeliberate(thrown: HttpError, req: HttpRequest, res: HttpResponse, project: Project): void {
  const { status, message } = thrown;
  const { body } = thrown;
  if (status >= 500) log(project, 'warn', req, `answered ${status}`, message);
  const json = answersJson(req.route, project);
  resetForError(res, status, !json);
  if (!json && formatFor(req.raw.headers) === 'html')
    sendPage(
      res,
      errorPage(
        status,
        titleOf(status),
        message === `HTTP ${status}` || message === titleOf(status) ? '' : message,
      ),
    );
  else if (!httpSettingsOf(project).problems) res.type('json').json(body);
  else
    res
      .type('application/problem+json')
      .json({ status, title: titleOf(status), ...(isObject(body) ? body : { errors: body }) });
}

function answerUnexpected(thrown: unknown, req: HttpRequest, res: HttpResponse, project: Project): void {
  const { raw, route } = req;
  markJsonMistake(thrown);
  publishFailure({ error: thrown, raw, route });
  log(project, 'error', req, 'failed', thrown);
  const hide = (): void => {
    try {
      if (!res.sent) res.header('Cache-Control', 'no-store');
      const problem = new HttpProblem(500, UNEXPECTED_FAILURE);
      sendProblem(problem, req.raw, res, answersJson(req.route, project));
    } catch {
      res.raw.destroy();
    }
  };
  if (project.mode !== 'development' || res.sent) return hide();
  void pages()
    .then(({ showError }) => showError(thrown, req, res, project))
    .catch(hide);
}

/** Publish an unexpected error to the subscribers of the diagnostics channel. */
export function publishFailure(failure: RequestFailure): void {
  const exchange = exchangeOf(failure.raw);
  if (exchange) exchange.error = failure.error;
  if (REQUEST_ERROR.hasSubscribers) REQUEST_ERROR.publish(failure);
}

const LISTED_ROUTES = slotKey<{ routes: readonly ListedRoute[] }>('http.listed-routes');

const listed = (project: Project): { routes: readonly ListedRoute[] } =>
  project.slot(LISTED_ROUTES, () => ({ routes: [] }));

export const setListedRoutes = (project: Project, routes: readonly ListedRoute[]): void => {
  listed(project).routes = routes;
};

export function sendNotFound(
  raw: IncomingMessage,
  res: HttpResponse,
  route: Pick<RouteInfo, 'errors'>,
  project: Project,
): void {
  const plain = (): void => sendProblem(NOT_FOUND, raw, res, answersJson(route, project));
  if (project.mode !== 'development' || formatFor(raw.headers) === 'json') return plain();
  void pages()
    .then(({ showUnknown }) => showUnknown(NOT_FOUND, raw, res, listed(project).routes, project))
    .catch(plain);
}

/** Whether a handler failed because the client disconnected before its body was complete. */
const isAborted = (thrown: unknown, raw: IncomingMessage): boolean =>
  // The body had arrived completely, but had not been read completely.
  (thrown instanceof Error && thrown === raw.errored) || wasCutShort(thrown, raw);

const wasCutShort = (thrown: unknown, raw: IncomingMessage): boolean =>
  raw.destroyed &&
  !raw.complete &&
  // Node marks a request without a body as destroyed from the start.
  !raw.readableEnded &&
  thrown instanceof Error &&
  'code' in thrown &&
  (thrown.code === 'ECONNRESET' || thrown.code === 'ERR_STREAM_PREMATURE_CLOSE');

/** Send a problem document (RFC 9457), or a page if the client prefers one and `json` is false. */
export function sendProblem(
  problem: HttpProblem,
  raw: IncomingMessage,
  res: HttpResponse,
  json = false,
): void {
  const { status, message, headers } = problem;
  // Part of the response has been sent, so only closing the connection can show that it is incomplete.
  if (res.sent) return void (res.isHeld || res.raw.writableEnded || res.raw.destroy());
  resetForError(res, status, !json);
  for (const name in headers) res.header(name, headers[name] ?? '');
  if (!json && formatFor(raw.headers) === 'html')
    sendPage(res, errorPage(status, titleOf(status), message, problem.mistakes));
  else res.type('application/problem+json').send(problem.problem);
}

function log(
  project: Project,
  level: 'warn' | 'error',
  req: HttpRequest,
  what: string,
  thrown: unknown,
): void {
  const { method, path, route } = req;
  const where = route.file === undefined ? '' : ` in ${project.display(route.file)}`;
  logSafely(scopeLogger(project.logger, req), level, `${method} ${path} ${what}${where}`, thrown);
}
