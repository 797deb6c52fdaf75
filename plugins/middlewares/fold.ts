import {
  coded,
  isThenable,
  logSafely,
  type ProblemCode,
  type Project,
  scopeLogger,
} from '../../kernel/index.js';
import type { Handler, HttpRequest, HttpResponse, TimeLayer } from '../http/index.js';
import { Continuation } from './continuation.js';
import type { Middleware } from './middleware.js';

export interface MiddlewareLayer {
  readonly file: string;
  readonly run: Middleware;
}

/** One function that runs `layers`, outermost first, around `handler`. Folded at boot. */
export const fold = (
  layers: readonly MiddlewareLayer[],
  handler: Handler,
  project: Project,
  time?: TimeLayer,
): Handler =>
  layers.reduceRight<Handler>((inner, outer) => {
    const folded = around(outer, inner, project);
    return time?.(project.display(outer.file), folded) ?? folded;
  }, handler);

function around({ file, run }: MiddlewareLayer, inner: Handler, project: Project): Handler {
  const name = project.display(file);
  const isStrict = project.mode === 'development';
  return (req, res, ctx) => {
    let called = false;
    let hasReturned = false;
    let nextResult: unknown;
    let nextPromise: Continuation | undefined;
    let value: unknown;
    value = run(req, res, ctx, () => {
      try {
        if (called)
          throw coded(
            'FWK115',
            new Error(`${name} called next() twice. Call it once, and keep what it gives.`),
          );
        called = true;
        nextResult = inner(req, res, ctx);
      } catch (thrown) {
        // In a callback of something that the middleware began and left: it would end the process.
        if (hasReturned && !isThenable(value)) return logLost(thrown, req, name, project);
        throw thrown;
      }
      // A thenable that is no promise does its work when its `then` is called: one that nobody awaits cannot fail unseen, and need
      // not be watched. To look for `then` on every result would cost more.
      if (nextResult instanceof Promise) {
        nextPromise = new Continuation(nextResult);
        nextResult = nextPromise;
        if (hasReturned) logIfLost(nextPromise, value, req, name, project);
      }
      return nextResult;
    });
    hasReturned = true;
    if (nextPromise !== undefined) {
      if (value === nextPromise) return nextPromise.result;
      logIfLost(nextPromise, value, req, name, project);
    }
    return isStrict ? checked(value, () => nextResult, res, name) : value;
  };
}

/** `value`, or an error where the middleware that returned it has lost the result of the rest of the chain. */
function checked(value: unknown, result: () => unknown, res: HttpResponse, name: string): unknown {
  const check = (settled: unknown): unknown => {
    const rest = result();
    if (rest instanceof Continuation && !rest.isAwaited) throw notReturned(name);
    return settled;
  };
  if (isThenable(value)) return Promise.resolve(value).then(check);
  const rest = result();
  const isLost = value === undefined && rest !== undefined && !(rest instanceof Continuation) && !res.sent;
  if (isLost) throw notReturned(name);
  return check(value);
}

/** The rest of the chain has nobody who takes its result. */
const DROPPED: ProblemCode = 'FWK117';

const notReturned = (name: string): Error =>
  coded(
    DROPPED,
    new Error(
      `${name} called next() and did not return what it gave, so the response of the handler is lost. Write \`return next()\`, or await it.`,
    ),
  );

/** Log an error of the rest of the chain that nothing awaits: it ends neither the response nor the process. */
function logIfLost(
  rest: Continuation,
  value: unknown,
  req: HttpRequest,
  name: string,
  project: Project,
): void {
  rest.result.then(undefined, (thrown: unknown) => {
    const log = (): void => {
      if (!rest.isAwaited) logLost(thrown, req, name, project);
    };
    // A middleware that still runs may wait for it yet.
    Promise.resolve(value).then(log, log);
  });
}

const logLost = (thrown: unknown, req: HttpRequest, name: string, { logger }: Project): void =>
  logSafely(
    scopeLogger(logger, req),
    'error',
    {
      code: DROPPED,
      text: `${req.method} ${req.path} failed behind ${name}, which does not wait for next()`,
    },
    thrown,
  );
