import type { IncomingMessage } from 'node:http';
import { type Project, slotKey } from '../../../kernel/index.js';
import { logFields, logSafely, scopeLogger } from '../../../scope/index.js';
import { UNEXPECTED_FAILURE } from '../errors/error-page.js';
import { publishFailure, sendProblem } from '../errors/send-error.js';
import { HttpProblem, isHttpError } from '../request/http-error.js';
import { notesOf, requestId, traceIdOf } from '../request/request-id.js';
import { NO_ROUTE } from '../request/route-info.js';
import type { HttpResponse } from '../response/response.js';

const FALLBACKS = slotKey<Fallback[]>('http.fallbacks');

/** A request that matches no route. */
export interface UnmatchedRequest {
  /** Node's own request. */
  readonly raw: IncomingMessage;
  readonly method: string;
  /** The undecoded path, without the query string. */
  readonly path: string;
  /** The decoded segments of the path. They may contain `/`, `\` or NUL, but none is empty, `.` or `..`. */
  readonly segments: readonly string[];
}

/** Answers a request that matches no route. Resolves to false to leave it to the next fallback; after the last, the response is a 404. */
export type Fallback = (request: UnmatchedRequest, res: HttpResponse) => boolean | Promise<boolean>;

/**
 * Call `fallback` for requests that match no route of `project`, after the fallbacks that were added before. Call this in a
 * `serve` tap of a stage before `Stage.finish`. It doesn't slow down requests that match a route.
 */
export function addFallback(project: Project, fallback: Fallback): void {
  added(project).push(fallback);
}

const added = (project: Project): Fallback[] => project.slot(FALLBACKS, () => []);

export const fallbacksOf = (project: Project): readonly Fallback[] => added(project);

/** Call the fallbacks in sequence, and `otherwise` if none answers. */
export async function askFallbacks(
  fallbacks: readonly Fallback[],
  request: UnmatchedRequest,
  res: HttpResponse,
  project: Project,
  otherwise: () => void,
): Promise<void> {
  try {
    for (const fallback of fallbacks) if (await fallback(request, res)) return;
    return otherwise();
  } catch (thrown) {
    try {
      if (thrown instanceof HttpProblem) return sendProblem(thrown, request.raw, res);
      if (isHttpError(thrown) && !res.sent) return res.status(thrown.status).type('json').json(thrown.body);
      publishFailure({ error: thrown, raw: request.raw, route: NO_ROUTE });
      const logger = scopeLogger(project.logger, { [logFields]: fieldsOf(request.raw) });
      logSafely(logger, 'error', `${request.method} ${request.path} failed in a fallback`, thrown);
      sendProblem(new HttpProblem(500, UNEXPECTED_FAILURE), request.raw, res);
    } catch {
      res.raw.destroy();
    }
  }
}

const fieldsOf = (raw: IncomingMessage) => ({
  requestId: requestId(raw),
  traceId: traceIdOf(raw),
  ...notesOf(raw),
});
