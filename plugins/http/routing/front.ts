import type { IncomingMessage } from 'node:http';
import { logSafely, type Project } from '../../../kernel/index.js';
import { UNEXPECTED_FAILURE } from '../errors/error-response.js';
import { sendProblem } from '../errors/send-error.js';
import { HttpProblem } from '../request/http-error.js';
import type { HttpResponse } from '../response/response.js';

/**
 * Runs in front of all else that a request meets: its body is not read, no layer has run. It sets headers, which the response
 * keeps unless a handler sets them itself, or answers and returns true. It does not wait: what it has to know, it knows by then.
 */
export type FrontHandler = (raw: IncomingMessage, res: HttpResponse) => boolean | undefined;

/** The fronts of a route, outermost first. */
export type Fronts = readonly FrontHandler[];

/** Makes one function of the fronts of a route, the same one for routes with the same fronts. What a front throws is answered with 500, and logged. */
export function frontFolder(project: Project): (fronts: Fronts | undefined) => FrontHandler | undefined {
  const folded = new Map<Fronts, FrontHandler>();
  return (fronts) => {
    if (fronts === undefined) return undefined;
    const known = folded.get(fronts) ?? guarded(fronts, project);
    folded.set(fronts, known);
    return known;
  };
}

function guarded([first, second, ...rest]: Fronts, project: Project): FrontHandler {
  return (raw, res) => {
    try {
      if (first?.(raw, res) || second?.(raw, res)) return true;
      for (const front of rest) if (front(raw, res)) return true;
      return false;
    } catch (thrown) {
      if (thrown instanceof HttpProblem) {
        sendProblem(thrown, raw, res);
        return true;
      }
      const what = `${raw.method} ${raw.url} failed in front of its route`;
      logSafely(project.logger, 'error', what, thrown);
      sendProblem(new HttpProblem(500, UNEXPECTED_FAILURE), raw, res);
      return true;
    }
  };
}
