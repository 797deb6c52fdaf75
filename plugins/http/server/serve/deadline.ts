import { isThenable, type Project, type Timer } from '../../../../kernel/index.js';
import { logSafely, scopeLogger } from '../../../../scope/index.js';
import { sendError } from '../../errors/send-error.js';
import { HttpProblem } from '../../request/http-error.js';
import { HttpRequest } from '../../request/request.js';
import type { Handler } from '../../response/handler.js';
import { HttpResponse } from '../../response/response.js';

/** Milliseconds that middlewares get to respond after a timeout before fwk does. */
const GRACE_MS = 1_000;

class RouteTimeout extends HttpProblem {
  override readonly name = 'TimeoutError';

  constructor() {
    super(503, 'The request timed out on the server');
  }
}

class Deadline {
  readonly #req: HttpRequest;
  readonly #res: HttpResponse;
  readonly #project: Project;
  #timer: Timer;
  #problem: RouteTimeout | undefined;
  #expiredAt = 0;
  /** Ends the wait for the handler while it runs and layers are around it. */
  #interrupt: ((reason: unknown) => void) | undefined;
  /** Resolves when the handler has ended, possibly later than the layers around it. */
  #handler: Promise<unknown> | undefined;

  constructor(req: HttpRequest, res: HttpResponse, project: Project, timeout: number) {
    this.#req = req;
    this.#res = res;
    this.#project = project;
    this.#timer = project.clock.setTimeout(() => this.#expire(timeout), timeout);
    const end = () => project.clock.clear(this.#timer);
    // If the client disconnected before fwk took up the request, 'close' has been emitted already.
    if (res.raw.closed) end();
    else res.raw.once('close', end);
  }

  /** Return the result of the handler, or reject when the timeout expires. */
  race(result: PromiseLike<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#interrupt = reject;
      this.#handler = Promise.resolve(result).then(
        (value) => {
          this.#interrupt = undefined;
          resolve(value);
        },
        (thrown) => {
          this.#interrupt = undefined;
          if (this.#problem) this.#failedLate(thrown);
          else reject(thrown);
        },
      );
    });
  }

  /** Resolves with `result`, but not before the handler has ended. A failure after the response is logged and goes no further. */
  async over(result: PromiseLike<unknown>): Promise<unknown> {
    try {
      return await result;
    } catch (thrown) {
      if (!this.#problem || !this.#res.sent) throw thrown;
      this.#failedLate(thrown);
      return undefined;
    }
  }

  /** Resolves when `running` and everything else has ended. */
  async ended(running: Promise<void> | undefined): Promise<void> {
    await running;
    await this.#handler;
    if (this.#problem) this.#log('info', `ended ${this.#late} ms after its timeout.`);
  }

  get #late(): number {
    return Math.round(this.#project.clock.now() - this.#expiredAt);
  }

  #expire(timeout: number): void {
    const res = this.#res;
    const waits = res.isStreaming || res.isHeld;
    // Part of the response has been sent, or another protocol has taken over the connection.
    if (res.raw.headersSent || (res.sent && !waits)) return;
    // The client is slow, for which `http.requestTimeout` applies.
    if (HttpRequest.isReadingBody(this.#req)) {
      this.#timer = this.#project.clock.setTimeout(() => this.#expire(timeout), timeout);
      return;
    }
    const problem = new RouteTimeout();
    this.#problem = problem;
    this.#expiredAt = this.#project.clock.now();
    this.#log('warn', `took longer than its timeout of ${timeout} ms.`);
    this.#timer = this.#project.clock.setTimeout(() => this.#answer(problem), GRACE_MS);
    if (res.isStreaming) HttpResponse.reopen(res);
    HttpRequest.abort(this.#req, problem);
    if (this.#interrupt) this.#interrupt(problem);
    else this.#answer(problem);
  }

  #answer(problem: RouteTimeout): void {
    const res = this.#res;
    if (res.raw.headersSent || res.raw.closed) return;
    if (!res.sent) sendError(problem, this.#req, res, this.#project);
    // A `beforeHead` callback has not finished, and would not finish for another response either.
    else if (this.#project.clock.now() - this.#expiredAt >= GRACE_MS / 2) res.raw.destroy();
  }

  #failedLate(thrown: unknown): void {
    const cause = thrown instanceof Error ? thrown.cause : undefined;
    // The handler failed because of the abort.
    if (thrown === this.#problem || (cause !== undefined && cause === this.#problem)) return;
    this.#log('error', `failed ${this.#late} ms after its timeout`, thrown);
  }

  #log(level: 'info' | 'warn' | 'error', what: string, ...details: unknown[]): void {
    const { method, path, route } = this.#req;
    const where = route.file === undefined ? '' : ` in ${this.#project.display(route.file)}`;
    const logger = scopeLogger(this.#project.logger, this.#req);
    logSafely(logger, level, `${method} ${path}${where} ${what}`, ...details);
  }
}

const deadlines = new WeakMap<HttpRequest, Deadline>();

/** The innermost layer of a route with a timeout: throws when the timeout expires, so that the layers around it can catch the error. */
export const withTimeout =
  (handler: Handler): Handler =>
  (req, res, ctx) => {
    const result = handler(req, res, ctx);
    const deadline = deadlines.get(req);
    return deadline && isThenable(result) ? deadline.race(result) : result;
  };

/** The handler of a route including its layers, with `timeout` milliseconds for each request. */
export function withDeadline(handler: Handler, project: Project, timeout: number) {
  const begin = (
    req: HttpRequest,
    res: HttpResponse,
  ): ((running: Promise<void> | undefined) => Promise<void>) => {
    const deadline = new Deadline(req, res, project, timeout);
    deadlines.set(req, deadline);
    return (running) => deadline.ended(running);
  };
  const limited: Handler = (req, res, ctx) => {
    const result = handler(req, res, ctx);
    const deadline = deadlines.get(req);
    return deadline && isThenable(result) ? deadline.over(result) : result;
  };
  return { begin, handler: limited };
}
