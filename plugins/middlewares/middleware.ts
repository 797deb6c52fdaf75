import { brand } from '../../contributions/index.js';
import { coded, isThenable, type ProblemCode, type Project } from '../../kernel/index.js';
import { logSafely, type RuntimeCtx, scopeLogger } from '../../scope/index.js';
import {
  DefinitionError,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  isHttpError,
} from '../http/index.js';
import { definitionOf, errorCheck, projectOf, type TimeLayer } from '../http/internal.js';

/** Runs the next middleware or the handler; callable once. Returns its result, or a promise to await. */
export type Next = () => unknown;

/** Runs around handlers. Its return value becomes the result. To keep the result of the handler, `return next()`. */
export type Middleware = (req: HttpRequest, res: HttpResponse, ctx: RuntimeCtx, next: Next) => unknown;

/** The default export of a middleware file. */
export interface MiddlewareModule {
  readonly run: Middleware;
  readonly isOutermost: boolean;
}

export interface MiddlewareOptions {
  /**
   * Whether it also runs around the rate limit and the CSRF check, and so sees their errors. It must not change anything: it
   * also runs for requests that they reject. Default: false.
   */
  readonly outermost?: boolean;
}

const middlewares = brand<MiddlewareModule>('fwkit.middleware');

/** `export default middleware(async (req, res, ctx, next) => { …; return next(); })` */
export function middleware(run: Middleware, { outermost = false }: MiddlewareOptions = {}): MiddlewareModule {
  if (typeof run !== 'function')
    throw new DefinitionError('middleware() takes a function (req, res, ctx, next)', 'FWK402');
  return Object.freeze(middlewares.mark({ run, isOutermost: outermost === true }));
}

export const isMiddleware = middlewares.has;

export interface MiddlewareLayer {
  readonly file: string;
  readonly run: Middleware;
}

/** `layers` around `handler`, outermost first, composed at startup; must not refer to `project`. */
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
  let hasWarned = false;
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
            new Error(`${name} called next() twice. Call it once, and reuse its result.`),
          );
        called = true;
        nextResult = inner(req, res, ctx);
      } catch (thrown) {
        // Called in a callback that the middleware did not wait for: throwing would end the process.
        if (hasReturned && !isThenable(value)) return logLost(thrown, req, name);
        throw thrown;
      }
      // A thenable that is not a promise starts its work when its `then` is called. If nobody
      // awaits it, it cannot fail unnoticed, and need not be watched. Looking for `then` on every
      // result would cost more.
      if (nextResult instanceof Promise) {
        nextPromise = new Continuation(nextResult);
        nextResult = nextPromise;
        if (hasReturned) logIfLost(nextPromise, value, req, name);
      }
      return nextResult;
    });
    hasReturned = true;
    if (nextPromise !== undefined) {
      if (value === nextPromise) return nextPromise.result;
      logIfLost(nextPromise, value, req, name);
    }
    if (!isStrict) return value;
    return checked(
      value,
      () => nextResult,
      res,
      name,
      (settled) => {
        if (!called && settled === undefined) warnIfUnanswered(req, res);
      },
    );
  };

  /** Warn if a middleware that did not call next() has not responded either. */
  function warnIfUnanswered(req: HttpRequest, res: HttpResponse): void {
    if (hasWarned || res.statusCode !== undefined || res.sent || res.isStreaming || res.raw.headersSent)
      return;
    hasWarned = true;
    const text = `${name} neither called next() nor responded, so the response is empty. Write \`return next()\`.`;
    logSafely(scopeLogger(projectOf(req).logger, req), 'warn', { code: DROPPED, text });
  }
}

/** `value`, or an error if the middleware that returned it has lost the result of the rest of the chain. Calls `note` with the settled value. */
function checked(
  value: unknown,
  result: () => unknown,
  res: HttpResponse,
  name: string,
  note: (settled: unknown) => void,
): unknown {
  const check = (settled: unknown): unknown => {
    note(settled);
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

/** `run`, whose own errors are checked against the schemas that its module exports. `name`: its file in messages. */
export function checkingErrors(run: Middleware, errors: unknown, name: string): Middleware {
  const { errors: schemas = {} } = definitionOf('middleware', { errors }, ['errors']);
  const check = errorCheck(schemas, () => name);
  return (req, res, ctx, next) => {
    // Errors of the rest of the chain only pass through.
    const passing = new Set<unknown>();
    const note = (settled: unknown): void => void passing.add(settled);
    const fail = (thrown: unknown): unknown => {
      if (passing.has(thrown)) throw thrown;
      return check(thrown, req, ctx);
    };
    const settle = (value: unknown): unknown =>
      isHttpError(value) && !passing.has(value) ? fail(value) : value;
    try {
      const value = run(req, res, ctx, () => {
        try {
          const rest = next();
          if (rest instanceof Continuation) rest.result.then(note, note);
          else note(rest);
          return rest;
        } catch (thrown) {
          note(thrown);
          throw thrown;
        }
      });
      if (value instanceof Continuation) return value;
      return isThenable(value) ? Promise.resolve(value).catch(fail).then(settle) : settle(value);
    } catch (thrown) {
      return fail(thrown);
    }
  };
}

/** The result of the rest of the chain was lost. */
const DROPPED: ProblemCode = 'FWK117';

const notReturned = (name: string): Error =>
  coded(
    DROPPED,
    new Error(
      `${name} called next() and did not return its result, so the handler's response is lost. Write \`return next()\`, or await it.`,
    ),
  );

/** Log an error of the rest of the chain that nothing awaits; response and process continue. */
function logIfLost(rest: Continuation, value: unknown, req: HttpRequest, name: string): void {
  rest.result.then(undefined, (thrown: unknown) => {
    const log = (): void => {
      if (!rest.isAwaited) logLost(thrown, req, name);
    };
    // A middleware that is still running may still await it.
    Promise.resolve(value).then(log, log);
  });
}

const logLost = (thrown: unknown, req: HttpRequest, name: string): void =>
  logSafely(
    scopeLogger(projectOf(req).logger, req),
    'error',
    {
      code: DROPPED,
      text: `${req.method} ${req.path} failed after ${name}, which does not wait for next()`,
    },
    thrown,
  );

/**
 * The result of `next()` if the rest of the chain is asynchronous, which must be awaited or
 * returned. It records whether it was, because a rejection that nothing awaits is lost. It does not
 * create another promise, which would add cost to every layer of every request.
 */
class Continuation implements Promise<unknown> {
  readonly [Symbol.toStringTag] = 'Promise';
  #isAwaited = false;

  constructor(
    /** The result of the rest of the chain. */
    readonly result: Promise<unknown>,
  ) {}

  /** Whether the result has been awaited. */
  get isAwaited(): boolean {
    return this.#isAwaited;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise.
  then<A = unknown, B = never>(
    onFulfilled?: ((value: unknown) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#isAwaited = true;
    return this.result.then(onFulfilled, onRejected);
  }

  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<unknown> {
    return this.then(undefined, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<unknown> {
    this.#isAwaited = true;
    return this.result.finally(onFinally);
  }
}

// For `instanceof Promise`. The class overrides every method of Promise.
Object.setPrototypeOf(Continuation.prototype, Promise.prototype);
