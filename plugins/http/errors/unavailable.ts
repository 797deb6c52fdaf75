import type { Project } from '../../../kernel/index.js';
import type { Unavailable } from '../../../peers/index.js';
import { logSafely, scopeLogger } from '../../../scope/index.js';
import { HttpProblem } from '../request/http-error.js';
import type { HttpRequest } from '../request/request.js';
import type { HttpResponse } from '../response/response.js';

/** How often it is logged that something was refused, at most, in milliseconds. */
const LOG_INTERVAL_MS = 1_000;

interface Refusals {
  loggedAt: number;
  /** Since then. */
  count: number;
}

const refusals = new WeakMap<Project, Refusals>();

/**
 * Log that `what` was refused for what is away for now: `The tool search failed`. One a second is, with the number of the others,
 * whatever they are: all that needs it fails at one time. `origin`: the request, as `scopeLogger` takes it.
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

/** Whole seconds after which what is away may be there again. */
export const retrySeconds = ({ retryAfter }: Unavailable): number =>
  Math.max(1, Math.ceil(Number(retryAfter) || 1));

/** What a request is answered with that needs what is away for now (RFC 9110 §15.6.4). It is logged. */
export function unavailable(
  thrown: Unavailable,
  req: HttpRequest,
  res: HttpResponse,
  project: Project,
): HttpProblem {
  logUnavailable(thrown, `${req.method} ${req.path} ${becomes(res)}`, req, project);
  const headers = { 'Retry-After': String(retrySeconds(thrown)) };
  const message = 'Something that this needs is away for now. Try again soon';
  return new HttpProblem(503, message, undefined, headers);
}

const becomes = (res: HttpResponse): string => {
  if (!res.sent) return 'answered 503';
  return res.isHeld || res.raw.writableEnded ? 'failed after its response' : 'was cut off';
};
