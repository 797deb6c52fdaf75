import { type Project, scopeLogger, type Unavailable } from '../../../kernel/index.js';
import type { HttpRequest } from '../request/request.js';
import { HttpProblem } from './http-error.js';
import { logSafely } from './log-safely.js';

/** How often it is logged that a request was refused, at most, in milliseconds. */
const LOG_INTERVAL_MS = 1_000;

interface Refusals {
  loggedAt: number;
  /** Since then. */
  count: number;
}

/** By version of a project. */
const refusals = new WeakMap<Project, Refusals>();

/** What a request is answered with that needs what is away for now (RFC 9110 §15.6.4). One a second is logged, with the number of the others. */
export function unavailable(thrown: Unavailable, req: HttpRequest, project: Project): HttpProblem {
  const { method, path } = req;
  const known = refusals.get(project) ?? { loggedAt: Number.NEGATIVE_INFINITY, count: 0 };
  refusals.set(project, known);
  const now = performance.now();
  if (now - known.loggedAt < LOG_INTERVAL_MS) known.count += 1;
  else {
    const others = known.count > 0 ? ` (and so were ${known.count} others before it)` : '';
    logSafely(
      scopeLogger(project.logger, req),
      'warn',
      `${method} ${path} answered 503${others}: ${thrown.message}`,
    );
    known.loggedAt = now;
    known.count = 0;
  }
  const seconds = Math.max(1, Math.ceil(Number(thrown.retryAfter) || 1));
  const headers = { 'Retry-After': String(seconds) };
  return new HttpProblem(
    503,
    'Something that this needs is away for now. Try again soon',
    undefined,
    headers,
  );
}
