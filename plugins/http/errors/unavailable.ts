import type { Project } from '../../../kernel/index.js';
import type { Unavailable } from '../../../peers/index.js';
import { logSafely, scopeLogger } from '../../../scope/index.js';
import { HttpProblem } from '../request/http-error.js';
import type { HttpRequest } from '../request/request.js';
import type { HttpResponse } from '../response/response.js';

/** The shortest time between two log lines about refused requests, in milliseconds. */
const LOG_INTERVAL_MS = 1_000;

interface Refusals {
  loggedAt: number;
  /** The number of refusals since the last log line. */
  count: number;
}

const refusals = new WeakMap<Project, Refusals>();

/**
 * Log that `what` was refused because a dependency is unavailable: `The tool search failed`. Logs at most one line per
 * second, with the number of the others, because everything that uses the dependency fails at the same time. `origin`: the
 * request, as `scopeLogger` takes it.
 */
export function logUnavailable(thrown: Unavailable, what: string, origin: unknown, project: Project): void {
  const known = refusals.get(project) ?? { loggedAt: Number.NEGATIVE_INFINITY, count: 0 };
  refusals.set(project, known);
  const now = performance.now();
  if (now - known.loggedAt < LOG_INTERVAL_MS) {
    known.count += 1;
    return;
  }
  const others = known.count > 0 ? ` (and so were ${known.count} others before it)` : '';
  logSafely(scopeLogger(project.logger, origin), 'warn', `${what}${others}: ${thrown.message}`);
  known.loggedAt = now;
  known.count = 0;
}

/** Whole seconds after which the client may retry. */
export const retrySeconds = ({ retryAfter }: Unavailable): number =>
  Math.max(1, Math.ceil(Number(retryAfter) || 1));

/** Respond with 503 because a dependency is unavailable (RFC 9110 §15.6.4), and log it. */
export function unavailable(
  thrown: Unavailable,
  req: HttpRequest,
  res: HttpResponse,
  project: Project,
): HttpProblem {
  logUnavailable(thrown, `${req.method} ${req.path} ${becomes(res)}`, req, project);
  const headers = { 'Retry-After': String(retrySeconds(thrown)) };
  const message = 'The service is temporarily unavailable. Try again soon';
  return new HttpProblem(503, message, undefined, headers);
}

const becomes = (res: HttpResponse): string => {
  if (!res.sent) return 'answered 503';
  return res.isHeld || res.raw.writableEnded ? 'failed after its response' : 'was cut off';
};
