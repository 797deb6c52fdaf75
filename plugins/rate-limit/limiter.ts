import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { type Clock, coded, isThenable, type Logger, messageOf } from '../../kernel/index.js';
import { isUnavailable, type Peers } from '../../peers/index.js';
import { logSafely, type RuntimeCtx } from '../../scope/index.js';
import { sessionOf } from '../context/internal.js';
import { type Handler, HttpProblem, type HttpRequest, type HttpResponse } from '../http/index.js';
import { arrivalOf } from '../http/internal.js';
import type { Counters, Decision } from './counters.js';
import type { Policy } from './limits.js';

/** Longer keys are hashed, because a client must not control the size of a counter. */
const MAX_KEY_CHARACTERS = 64;

/** A text of bounded length for any text. */
const bounded = (text: string): string =>
  text.length <= MAX_KEY_CHARACTERS ? text : `#${createHash('sha256').update(text).digest('base64url')}`;

/** The key of an address: for IPv6 its first 64 bits, the smallest network that a customer gets (RFC 6177). */
const addressKey = (address: string): string =>
  isIPv6(address) ? `${networkOf(address)}/64` : bounded(address);

function networkOf(ip: string): string {
  const [head = '', tail] = (ip.split('%', 1)[0] ?? '').split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const before = groups(head);
  const after = groups(tail ?? '');
  // An IPv4 address at the end counts as two groups.
  const length = before.length + after.length + (ip.includes('.') ? 1 : 0);
  const all = [...before, ...Array<string>(Math.max(8 - length, 0)).fill('0'), ...after];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

/** The key of a visitor's session; undefined without one, or if reading it will throw the error. */
function sessionKey(req: HttpRequest, onFailure: 'allow' | 'refuse'): string | undefined {
  try {
    const session = sessionOf(req);
    return session?.isStored ? session.proofs?.('rate-limit')[0] : undefined;
  } catch (thrown) {
    if (onFailure === 'refuse') throw thrown;
    return undefined;
  }
}

/** How long failed shared counters are skipped, in milliseconds: requests would wait for them. */
const RETRY_MS = 5_000;

export interface LimiterSettings {
  readonly headers: boolean;
  readonly onFailure: 'allow' | 'refuse';
}

/** Decides which clients sent too many requests. One per version; the counters outlive it. */
export class Limiter {
  #counters: Counters | undefined;
  /** The counters of this process alone, which are used while the shared counters fail. */
  #own: Counters | undefined;
  #now: () => number;
  /** Until when the shared counters are skipped. */
  #failedUntil = 0;
  readonly #warned = new Set<string>();

  constructor(
    private readonly settings: LimiterSettings,
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {
    this.#now = () => OFFSET_MS + clock.now();
  }

  /** Set the counters, and the counters to use while those fail. Called before the first request. */
  open(counters: Counters, own: Counters, span: Peers['span']): void {
    this.#counters = counters;
    this.#own = own;
    // Machines only have the system clock in common.
    if (span === 'machines') this.#now = () => this.clock.date();
  }

  /** Requests within `policies` reach `handler`, others throw a 429. `limiterOf`: a version's limiter. */
  static around(
    handler: Handler,
    policies: readonly Policy[],
    limiterOf: (req: HttpRequest) => Limiter,
  ): Handler {
    const header = policies.map(described).join(', ');
    const hasFailures = policies.some(({ count }) => count === 'failures');
    return (req, res, ctx) => {
      // The worker that accepted the request has counted it.
      if (arrivalOf(req.raw)) return handler(req, res, ctx);
      const limiter = limiterOf(req);
      const decisions: (Decision | undefined)[] = [];
      const checking = limiter.#check(policies, decisions, req, res, ctx);
      const proceed = (): unknown => {
        if (!limiter.settings.headers) return handler(req, res, ctx);
        if (!hasFailures) setLimitHeaders(res, header, policies, decisions);
        // Whether the request counts is known with its status.
        else
          res.beforeHead(() =>
            setLimitHeaders(res, header, policies, decisions, isFailure(res.statusCode ?? 200)),
          );
        return handler(req, res, ctx);
      };
      return checking ? checking.then(proceed) : proceed();
    };
  }

  /** Check one policy after the other. Returns a promise only if a policy is asynchronous. */
  #check(
    policies: readonly Policy[],
    decisions: (Decision | undefined)[],
    req: HttpRequest,
    res: HttpResponse,
    ctx: RuntimeCtx,
  ): Promise<void> | undefined {
    for (let index = decisions.length; index < policies.length; index += 1) {
      const policy = policies[index] as Policy;
      const applyDecision = (decision: Decision | undefined): void => {
        decisions.push(decision);
        if (decision?.isAllowed === false) throw tooMany(policy, decision).on(res);
      };
      const deciding = this.#decide(policy, req, res, ctx);
      if (!isThenable(deciding)) applyDecision(deciding);
      else
        return Promise.resolve(deciding).then((decision) => {
          applyDecision(decision);
          return this.#check(policies, decisions, req, res, ctx);
        });
    }
    return undefined;
  }

  #decide(policy: Policy, req: HttpRequest, res: HttpResponse, ctx: RuntimeCtx): MaybeDecision {
    const key = this.#keyOf(policy, req, ctx);
    return isThenable(key)
      ? Promise.resolve(key).then((known) => this.#count(policy, known, res))
      : this.#count(policy, key, res);
  }

  #count(policy: Policy, key: string | undefined, res: HttpResponse): MaybeDecision {
    if (key === undefined) return undefined;
    if (!this.#counters) throw new Error('requests were counted before the project was ready to serve');
    const now = this.#now();
    if (this.clock.now() < this.#failedUntil) return this.#countLocally(policy, key, now, res);
    const counters = this.#counters;
    const deciding = counters.take(key, policy, now);
    if (!isThenable(deciding))
      return counted(deciding, policy, res, () => counters.giveBack(key, policy, now));
    return Promise.resolve(deciding).then(
      (decision) => {
        if (this.#failedUntil > 0)
          logSafely(this.logger, 'warn', 'The shared counters of rateLimit are available again.');
        this.#failedUntil = 0;
        return counted(decision, policy, res, () => counters.giveBack(key, policy, now));
      },
      (thrown: unknown) => {
        const isFirst = this.#failedUntil === 0;
        this.#failedUntil = this.clock.now() + RETRY_MS;
        const text = 'The shared counters of rateLimit are unavailable';
        if (isFirst && isUnavailable(thrown))
          logSafely(this.logger, 'error', `${text}: ${messageOf(thrown)}`);
        else if (isFirst) logSafely(this.logger, 'error', text, thrown);
        return this.#countLocally(policy, key, now, res);
      },
    );
  }

  #countLocally(policy: Policy, key: string, now: number, res: HttpResponse): MaybeDecision {
    if (this.settings.onFailure === 'refuse')
      throw new HttpProblem(503, 'The rate limit cannot be checked at the moment', undefined, {
        'Retry-After': String(RETRY_MS / 1000),
      });
    const own = this.#own;
    const decision = own?.take(key, policy, now) as Decision;
    return counted(decision, policy, res, () => own?.giveBack(key, policy, now));
  }

  #keyOf({ by }: Policy, req: HttpRequest, ctx: RuntimeCtx): Maybe<string | undefined> {
    if (typeof by === 'function') {
      const given: unknown = by(req, ctx);
      return isThenable(given) ? Promise.resolve(given).then(textOf) : textOf(given);
    }
    const proof = by === 'session' ? sessionKey(req, this.settings.onFailure) : undefined;
    return proof === undefined ? `ip ${this.#addressOf(req)}` : `session ${proof}`;
  }

  #addressOf({ ip, raw }: HttpRequest): string {
    // A client that has already disconnected has no address either.
    if (ip === '' && !raw.socket.destroyed && raw.socket.localPort === undefined)
      this.#warnOnce(
        'rateLimit counts clients without an address (of a Unix socket, or app.fetch) as one: set http.trustProxy if a proxy forwards the address, or set rateLimit.by.',
      );
    else if (raw.headers['x-forwarded-for'] !== undefined && ip === raw.socket.remoteAddress)
      this.#warnOnce(
        'rateLimit counts all clients of a proxy as one: requests have X-Forwarded-For, which only counts with http.trustProxy.',
      );
    return addressKey(ip);
  }

  #warnOnce(message: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    logSafely(this.logger, 'warn', { code: 'FWK407', text: message });
  }
}

type Maybe<T> = T | Promise<T>;
type MaybeDecision = Maybe<Decision | undefined>;

/** Requests that count if they fail are counted first: otherwise many concurrent ones would all pass. */
function counted(decision: Decision, { count }: Policy, res: HttpResponse, giveBack: () => void): Decision {
  if (count === 'failures' && decision.isAllowed) whenSucceeded(res, giveBack);
  return decision;
}

const textOf = (given: unknown): string | undefined => {
  if (given === undefined || given === null) return undefined;
  if (typeof given === 'string') return `key ${bounded(given)}`;
  throw coded('FWK407', `rateLimit.by must return a string or undefined, not ${typeof given}`);
};

/** A limit in the syntax of the header `RateLimit-Policy`. */
const described = ({ name, limit, windowMs }: Policy): string =>
  `"${name}";q=${limit};w=${Math.ceil(windowMs / 1000)}`;

/** Convert milliseconds to whole seconds, rounded up. */
const seconds = (ms: number): number => Math.floor(ms / 1000) + 1;

function setLimitHeaders(
  res: HttpResponse,
  header: string,
  policies: readonly Policy[],
  decisions: readonly (Decision | undefined)[],
  failed = true,
): void {
  let left = '';
  for (let index = 0; index < policies.length; index += 1) {
    const decision = decisions[index];
    if (!decision) continue;
    const { remaining, waitMs } = decision;
    const givenBack = !failed && policies[index]?.count === 'failures' ? 1 : 0;
    left += `${left === '' ? '' : ', '}"${policies[index]?.name}";r=${remaining + givenBack};t=${seconds(waitMs)}`;
  }
  if (left !== '') res.header('RateLimit-Policy', header).header('RateLimit', left);
}

function tooMany(policy: Policy, { waitMs }: Decision): HttpProblem {
  const { limit, windowMs, name, count } = policy;
  const wait = seconds(waitMs);
  const what = count === 'failures' ? 'Too many failed requests' : 'Too many requests';
  const message = `${what}: at most ${limit} in ${windowMs / 1000} s. Try again in ${wait} s`;
  return new HttpProblem(429, message, undefined, {
    'Retry-After': String(wait),
    'RateLimit-Policy': described(policy),
    RateLimit: `"${name}";r=0;t=${wait}`,
  });
}

/** The offset from `performance.now()` to a monotonic clock that all processes of a machine share. */
const [SECONDS, NANOSECONDS] = process.hrtime();
const OFFSET_MS = SECONDS * 1000 + NANOSECONDS / 1e6 - performance.now();

/** 4xx is an error of the client. A 429 comes from a limit itself, and 5xx is an error of the server. */
const isFailure = (status: number): boolean => status >= 400 && status < 500 && status !== 429;

/** Call `act` once if the response is not a failure. A client that disconnects before its response counts as a failure. */
function whenSucceeded(res: HttpResponse, act: () => void): void {
  let isOpen = true;
  const settle = (status: number): void => {
    if (isOpen && !isFailure(status)) act();
    isOpen = false;
  };
  // Streams and sockets may end late or never.
  res.beforeHead(() => settle(res.statusCode ?? 200));
  res.raw.once('close', () => {
    if (res.raw.headersSent) settle(res.raw.statusCode);
  });
}
