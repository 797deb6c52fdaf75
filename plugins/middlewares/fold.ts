import type { Project } from '../../kernel/index.js';
import { type CloveRequest, type Handler, isThenable, logSafely } from '../http/index.js';
import { Continuation } from './continuation.js';
import type { Middleware } from './middleware.js';

export interface Layer {
  readonly file: string;
  readonly run: Middleware;
}

/** One function that runs `layers`, outermost first, around `handler`. Folded at boot. */
export const fold = (layers: readonly Layer[], handler: Handler, project: Project): Handler =>
  layers.reduceRight<Handler>((inner, outer) => around(outer, inner, project), handler);

function around({ file, run }: Layer, inner: Handler, project: Project): Handler {
  const name = project.display(file);
  const isStrict = project.mode === 'development';
  return (req, res, ctx) => {
    let called = false;
    let result: unknown;
    const value = run(req, res, ctx, () => {
      if (called) throw new Error(`${name} called next() twice. Call it once, and keep what it gives.`);
      called = true;
      result = inner(req, res, ctx);
      if (isThenable(result)) result = new Continuation(Promise.resolve(result));
      return result;
    });
    if (result instanceof Continuation) {
      if (value === result) return result.result;
      logIfLost(result, value, req, name, project);
      return isStrict ? awaitedOr(result, value, name) : value;
    }
    if (isStrict && value === undefined && result !== undefined && !res.sent) throw notReturned(name);
    return value;
  };
}

/** `value`, or an error where the middleware that gave it did not wait for the rest of the chain. */
function awaitedOr(rest: Continuation, value: unknown, name: string): unknown {
  const check = (settled: unknown): unknown => {
    if (!rest.isAwaited) throw notReturned(name);
    return settled;
  };
  return isThenable(value) ? Promise.resolve(value).then(check) : check(value);
}

const notReturned = (name: string): Error =>
  new Error(
    `${name} called next() and did not return what it gave, so the response of the handler is lost. Write \`return next()\`, or await it.`,
  );

/** What the rest of the chain throws, and nobody waits for, is logged and ends nothing. */
function logIfLost(
  rest: Continuation,
  value: unknown,
  { method, path }: CloveRequest,
  name: string,
  { logger }: Project,
): void {
  rest.result.then(undefined, (thrown: unknown) => {
    const log = (): void => {
      if (rest.isAwaited) return;
      logSafely(
        logger,
        'error',
        `${method} ${path} failed behind ${name}, which does not wait for next():`,
        thrown,
      );
    };
    // A middleware that still runs may wait for it yet.
    Promise.resolve(value).then(log, log);
  });
}
