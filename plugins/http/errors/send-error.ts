import type { IncomingMessage } from 'node:http';
import type { Project } from '../../../kernel/index.js';
import { slotKey } from '../../../kernel/index.js';
import { onDemand } from '../../../loader/index.js';
import { isUnavailable } from '../../../peers/index.js';
import { logSafely, scopeLogger } from '../../../scope/index.js';
import { formatFor } from '../request/accept.js';
import { exchangeOf, REQUEST_ERROR, type RequestFailure } from '../request/exchange.js';
import { type HttpError, HttpProblem, isHttpError, NOT_FOUND } from '../request/http-error.js';
import type { HttpRequest } from '../request/request.js';
import { NO_ROUTE, type RouteInfo } from '../request/route-info.js';
import type { HttpResponse } from '../response/response.js';
import { markJsonMistake } from '../response/stream.js';
import type { ListedRoute } from './dev/similar-routes.js';
import { errorPage, resetForError, sendPage, titleOf, UNEXPECTED_FAILURE } from './error-page.js';

import { unavailable } from './unavailable.js';

const pages = onDemand(() => import('./dev/index.js'));

/**
 * Answer a request whose handling threw, with the headers that were set so far. What was not thrown on purpose is
 * logged once, and shown to the client in development only. Takes anything that can be thrown, and never throws.
 */
export function sendError(thrown: unknown, req: HttpRequest, res: HttpResponse, project: Project): void {
  try {
    if (thrown === NOT_FOUND && req.route.kind === NO_ROUTE.kind && !res.sent)
      return sendNotFound(req.raw, res, req.route, project);
    if (thrown instanceof HttpProblem)
      return sendProblem(thrown, req.raw, res, answersJson(req.route, project));
    // Of a response that has begun, the rest is cut off.
    if (isUnavailable(thrown))
      return sendProblem(
        unavailable(thrown, req, res, project),
        req.raw,
        res,
        answersJson(req.route, project),
      );
    if (isHttpError(thrown) && !res.sent) return answerDeliberate(thrown, req, res, project);
  } catch (second) {
    // The error itself cannot be sent: its body cannot be serialised any more, or it is a Proxy that throws.
    return answerUnexpected(second, req, res, project);
  }
  // Only routes that read the body themselves get here this way. There is no client left to answer.
  if (isAborted(thrown, req.raw)) return;
  answerUnexpected(thrown, req, res, project);
}

/** Whether errors of a route have one form, whatever the client accepts: an API answers its clients in one way. */
export const answersJson = ({ errors }: Pick<RouteInfo, 'errors'>, { mode }: Project): boolean =>
  errors === 'json' && mode !== 'development';

/** `error(status, body)`: exactly that body, or its message on a page. Failures of the server itself are noted. */
function answerDeliberate(thrown: HttpError, req: HttpRequest, res: HttpResponse, project: Project): void {
  const { status, body, message } = thrown;
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
  else res.type('json').json(body);
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

/** Tell those who watch requests what was thrown, and not on purpose. */
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

/** Whether a handler was stopped by a client that went away before its body was complete. */
const isAborted = (thrown: unknown, raw: IncomingMessage): boolean =>
  // All of it had come, but not all had been read.
  (thrown instanceof Error && thrown === raw.errored) || wasCutShort(thrown, raw);

const wasCutShort = (thrown: unknown, raw: IncomingMessage): boolean =>
  raw.destroyed &&
  !raw.complete &&
  // A request without a body counts as destroyed from the start.
  !raw.readableEnded &&
  thrown instanceof Error &&
  'code' in thrown &&
  (thrown.code === 'ECONNRESET' || thrown.code === 'ERR_STREAM_PREMATURE_CLOSE');

/** Answer with a problem document (RFC 9457), or, unless `json` is all there is, with a page where the client prefers one. */
export function sendProblem(
  problem: HttpProblem,
  raw: IncomingMessage,
  res: HttpResponse,
  json = false,
): void {
  const { status, message, headers } = problem;
  // A part has been sent: only cutting the connection can say that the rest will not come.
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
