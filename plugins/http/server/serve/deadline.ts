import { isThenable, type Project, type Timer } from '../../../../kernel/index.js';
import { logSafely, scopeLogger } from '../../../../scope/index.js';
import { sendError } from '../../errors/send-error.js';
import { HttpProblem } from '../../request/http-error.js';
import { HttpRequest } from '../../request/request.js';
import type { Handler } from '../../response/handler.js';
import { HttpResponse } from '../../response/response.js';

/** Milliseconds that middlewares get to answer in place of a handler that took too long, before fwk does. */
const GRACE_MS = 1_000;

class RouteTimeout extends HttpProblem {
  override readonly name = 'TimeoutError';

  constructor() {
    super(503, 'This took longer than the server waits for it');
  }
}

class Deadline {
  readonly #req: HttpRequest;
  readonly #res: HttpResponse;
  readonly #project: Project;
  #timer: Timer;
  #problem: RouteTimeout | undefined;
  #expiredAt = 0;
  /** Ends the wait for the handler, while it runs and layers are around it. */
  #interrupt: ((reason: unknown) => void) | undefined;
  /** Resolves when the handler has ended, which may be later than all that is around it. */
  #handler: Promise<unknown> | undefined;

  constructor(req: HttpRequest, res: HttpResponse, project: Project, timeout: number) {
    this.#req = req;
    this.#res = res;
    this.#project = project;
    this.#timer = project.clock.setTimeout(() => this.#expire(timeout), timeout);
    res.raw.once('close', () => project.clock.clear(this.#timer));
  }

  /** The result of the handler, or what is thrown when the time is up. */
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

  /** Resolves with what `result` does when the handler has ended, too. What fails after the response is logged, and ends here. */
  async over(result: PromiseLike<unknown>): Promise<unknown> {
    try {
      return await result;
    } catch (thrown) {
      if (!this.#problem || !this.#res.sent) throw thrown;
      this.#failedLate(thrown);
      return undefined;
    }
  }

  /** Resolves when nothing runs any more, after `running`. */
  async ended(running: Promise<void> | undefined): Promise<void> {
    await running;
    await this.#handler;
    if (this.#problem) this.#log('info', `ended ${this.#late} ms after its time-out.`);
  }

  get #late(): number {
    return Math.round(this.#project.clock.now() - this.#expiredAt);
  }

  #expire(timeout: number): void {
    const res = this.#res;
    const waits = res.isStreaming || res.isHeld;
    // A part has been sent, or the connection is another protocol's.
    if (res.raw.headersSent || (res.sent && !waits)) return;
    // It is the client that is slow, and has a time-out of its own: `http.requestTimeout`.
    if (HttpRequest.isReadingBody(this.#req)) {
      this.#timer = this.#project.clock.setTimeout(() => this.#expire(timeout), timeout);
      return;
    }
    const problem = new RouteTimeout();
    this.#problem = problem;
    this.#expiredAt = this.#project.clock.now();
    this.#log('warn', `took longer than its time-out of ${timeout} ms.`);
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
    // What is to run before the head of a response has not come to its end: it would not for another one.
    else if (this.#project.clock.now() - this.#expiredAt >= GRACE_MS / 2) res.raw.destroy();
  }

  #failedLate(thrown: unknown): void {
    const cause = thrown instanceof Error ? thrown.cause : undefined;
    // It ended because it was told to.
    if (thrown === this.#problem || (cause !== undefined && cause === this.#problem)) return;
    this.#log('error', `failed ${this.#late} ms after its time-out`, thrown);
  }

  #log(level: 'info' | 'warn' | 'error', what: string, ...details: unknown[]): void {
    const { method, path, route } = this.#req;
    const where = route.file === undefined ? '' : ` in ${this.#project.display(route.file)}`;
    const logger = scopeLogger(this.#project.logger, this.#req);
    logSafely(logger, level, `${method} ${path}${where} ${what}`, ...details);
  }
}

const deadlines = new WeakMap<HttpRequest, Deadline>();

/** The innermost layer of a route with a time-out: when the time is up, that is thrown where the layers around it see it. */
export const interruptible =
  (handler: Handler): Handler =>
  (req, res, ctx) => {
    const result = handler(req, res, ctx);
    const deadline = deadlines.get(req);
    return deadline && isThenable(result) ? deadline.race(result) : result;
  };

/** The handler of a route, layers included, with `timeout` milliseconds for each request. */
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
