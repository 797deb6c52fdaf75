/** The entry for clients that retry, published as `fwkit/client/resilient`: for browsers, and for any server with `fetch`. */
import type { Paths } from '../plugins/http/contract.js';
import type { Client, ServerEvent } from './calls.js';
import { type ClientOptions, createClient, data } from './index.js';
import type { AnyOptions } from './outcome.js';
import { uploaded } from './upload.js';

/** Options that each call of a resilient client accepts, beside the options of every client. */
export interface ResilientCallOptions {
  /**
   * Milliseconds until an attempt fails with a TimeoutError. An attempt lasts until its body is complete, or, for events
   * and `raw`, until its headers arrive. Default: no limit. `signal` can limit all attempts together.
   */
  readonly timeout?: number | undefined;
  /**
   * The number of further attempts if the connection fails, the timeout expires, or the status code is 408, 429, 502, 503,
   * 504, or 409 with `Retry-After`. Default: 2 for GET, HEAD, OPTIONS and requests with the header `idempotency-key`, and 0 for others.
   */
  readonly retries?: number | undefined;
  /** For events: if the stream ends or breaks, connect again with the header `last-event-id`, until you leave the loop. */
  readonly reconnect?: boolean | undefined;
  /** Called while the body is sent, with numbers of bytes. The call uses `XMLHttpRequest`, which only browsers have. */
  readonly onUploadProgress?:
    | ((progress: { readonly loaded: number; readonly total: number }) => void)
    | undefined;
}

type ResilientOptions = ClientOptions & Pick<ResilientCallOptions, 'timeout' | 'retries'>;

/** A Response of `raw`, or an outcome. */
interface Result {
  readonly ok: boolean;
  readonly status: number;
  readonly headers?: Headers;
  readonly body?: ReadableStream | null;
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response?: Response;
}
type AnyCall = AnyOptions & ResilientCallOptions;
type Method = (typeof METHODS)[number];
type AnyCalls = Record<Method, (call: object) => Promise<Result>>;
type AnyClient = ((path: string) => AnyCalls) & { readonly raw: (path: string) => AnyCalls };
type Events = AsyncIterable<ServerEvent<unknown>>;

const METHODS = ['get', 'post', 'put', 'patch', 'del', 'head', 'options'] as const;
const RETRIES = 2;
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];
const TRANSIENT_STATUSES = [408, 429, 502, 503, 504];
/** The longest time to wait for the first retry, without `Retry-After`. It doubles each time. */
const FIRST_WAIT_MS = 500;
/** The time before a stream reconnects, unless the server has sent another in `retry`. */
const RECONNECT_WAIT_MS = 1000;
const MAX_WAIT_MS = 30_000;
/** The shortest time between two attempts. */
const MIN_WAIT_MS = 100;
/** Timers that are longer than 2^31 ms fire at once. */
const MAX_TIMER_MS = 2_000_000_000;

/**
 * Create a client like `createClient`, whose calls also retry, have a timeout, reconnect, and report the progress of an
 * upload. `timeout` and `retries` are the defaults of its calls; `retries` only for the calls that retry by default.
 */
export function createResilientClient<P = Paths>(
  base: string | URL,
  options?: ResilientOptions,
): Client<P, ResilientCallOptions>;
// For `ReturnType<typeof createResilientClient>`, as in `createClient`.
export function createResilientClient(
  base: string | URL,
  options?: ResilientOptions,
): Client<Paths, ResilientCallOptions>;
export function createResilientClient(base: string | URL, options: ResilientOptions = {}): object {
  const calls = (isRaw: boolean) => (path: string) => {
    const of = callsOf(createClient(base, options), isRaw, path);
    for (const name of METHODS)
      of[name] = async (call: AnyCall = {}) =>
        new ResilientCall(base, options, isRaw, path, name, call).result();
    return of;
  };
  return Object.assign(calls(false), { raw: calls(true) });
}

const callsOf = (client: object, isRaw: boolean, path: string): AnyCalls => {
  const api = client as AnyClient;
  return (isRaw ? api.raw : api)(path);
};

class ResilientCall {
  /** Whether an attempt has reached `fetch`: an invalid argument fails before, and each time. */
  #hasSent = false;
  #isRepeatable = false;
  #reconnectWait = RECONNECT_WAIT_MS;

  constructor(
    private readonly base: string | URL,
    private readonly options: ResilientOptions,
    private readonly isRaw: boolean,
    private readonly path: string,
    private readonly name: Method,
    private readonly call: AnyCall,
  ) {}

  async result(): Promise<Result> {
    const { signal, body, reconnect } = this.call;
    for (let failures = 0; ; failures++) {
      const result = await this.#attempt().catch((error: unknown): undefined => {
        if (!this.#hasSent || signal?.aborted || failures >= this.#retries(body)) throw error;
      });
      const asked = askedWait(result);
      if (result) {
        // 409 with a time: the first request with this idempotency key is still running.
        const isBusy = TRANSIENT_STATUSES.includes(result.status) || (result.status === 409 && asked > 0);
        const isTransient = isBusy && asked <= MAX_WAIT_MS;
        if (!isTransient || failures >= this.#retries(body)) {
          if (!reconnect || !isEvents(result.data)) return result;
          return { ...result, data: this.#events(result.data) };
        }
        result.body?.cancel().catch(() => {});
      }
      await pause(asked + backoff(failures, FIRST_WAIT_MS), signal);
    }
  }

  #retries(body: unknown): number {
    // A stream can be read only once.
    if (body instanceof ReadableStream) return 0;
    return this.call.retries ?? (this.#isRepeatable ? (this.options.retries ?? RETRIES) : 0);
  }

  async #attempt(lastId = ''): Promise<Result> {
    const { timeout = this.options.timeout, retries, reconnect, onUploadProgress, ...call } = this.call;
    const { fetch: send = (request: Request) => fetch(request) } = this.options;
    const limit = new AbortController();
    const expire = () => limit.abort(new DOMException(`No response within ${timeout} ms`, 'TimeoutError'));
    const timer = timeout === undefined ? undefined : setTimeout(expire, timeout);
    const client: object = createClient(this.base, {
      ...this.options,
      fetch: async (request, init) => {
        this.#isRepeatable = SAFE_METHODS.includes(request.method) || request.headers.has('idempotency-key');
        const sending = onUploadProgress
          ? uploaded(request, init ?? {}, onUploadProgress)
          : send(request, init);
        this.#hasSent = true;
        const response = await sending;
        return reconnect ? this.#withRetryFields(response) : response;
      },
    });
    try {
      return await callsOf(client, this.isRaw, this.path)[this.name]({
        ...call,
        ...(lastId && { headers: { ...call.headers, 'last-event-id': lastId } }),
        signal: AbortSignal.any([limit.signal, ...(call.signal ? [call.signal] : [])]),
      });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Events of the first stream and all that follow it. A 204 ends them, as with EventSource. */
  async *#events(first: Events): Events {
    const { signal } = this.call;
    let events: Events | undefined = first;
    let id = '';
    let result: Result | undefined;
    for (let failures = 0; ; failures++) {
      try {
        for await (const event of events ?? []) {
          failures = 0;
          id = event.id || id;
          yield { ...event, id };
        }
      } catch (error) {
        if (signal?.aborted) throw error;
      }
      await pause(Math.min(askedWait(result), MAX_TIMER_MS) + backoff(failures, this.#reconnectWait), signal);
      result = await this.#attempt(id).catch((error: unknown): undefined => {
        if (signal?.aborted) throw error;
      });
      if (result?.status === 204) return;
      // Throws, like the loop over a stream that breaks.
      if (result && !result.ok && !TRANSIENT_STATUSES.includes(result.status)) await data(result);
      events = isEvents(result?.data) ? result.data : undefined;
    }
  }

  /** Reads the field `retry`, which only this client needs. */
  #withRetryFields(response: Response): Response {
    let rest = '';
    const decoder = new TextDecoder();
    const lines = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        controller.enqueue(chunk);
        const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|[\r\n]/);
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const [, wait] = /^retry: ?(\d+)$/.exec(line) ?? [];
          if (wait) this.#reconnectWait = Number(wait);
        }
      },
    });
    return response.body ? new Response(response.body.pipeThrough(lines), response) : response;
  }
}

const isEvents = (data: unknown): data is Events => Symbol.asyncIterator in Object(data);

/** Milliseconds of `Retry-After`, which is a number of seconds or a date (RFC 9110 §10.2.3). */
function askedWait({ headers, response }: Partial<Result> = {}): number {
  const after = (headers ?? response?.headers)?.get('retry-after') ?? '';
  const wait = /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.now();
  return Math.max(wait || 0, 0);
}

/** Milliseconds that double with each failure; random, so that not all clients retry at once. */
const backoff = (failures: number, first: number): number =>
  Math.min(Math.max(first, failures > 0 ? FIRST_WAIT_MS : MIN_WAIT_MS) * 2 ** failures, MAX_WAIT_MS) *
  (0.5 + Math.random() / 2);

/** Waits, or rejects as soon as the caller aborts. */
const pause = (ms: number, signal: AbortSignal | null | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
  });
