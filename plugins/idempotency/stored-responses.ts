import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Project } from '../../kernel/index.js';
import type { Fields, SharedMemory } from '../../peers/index.js';
import { logSafely, scopeLogger } from '../../scope/index.js';
import { sessionOf } from '../context/internal.js';
import {
  type Handler,
  HttpError,
  HttpProblem,
  type HttpRequest,
  type HttpResponse,
  isHttpError,
} from '../http/index.js';
import { givenHeadersOf, type HttpIo, isStreamBody, notesOf } from '../http/internal.js';

/** How long a response is stored, in seconds. */
const LIFETIME_S = 86_400;
/** How long a key is held after its process has crashed, in seconds. A running request renews it. */
const LEASE_S = 30;
const RENEWAL_MS = 10_000;
/** The largest body that is stored, in bytes. */
const MAX_BODY_BYTES = 65_536;
/** The header is a quoted string in the draft; clients of other services send it without quotes. */
const KEY = /^[\x21-\x7e]{1,255}$/;

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** Headers that identify a caller, by their names. Headers that differ between two attempts must not be among them. */
const CREDENTIALS =
  /auth|token|api-?(?:key|secret)|user(?!-agent)|email|tenant|principal|assertion|session|cert|client-(?:id|s-dn|verify)|account|customer|org|identity|credential/;
/** How long a request may run before others with its key run, in milliseconds, however long its handler takes. */
const MAX_RUNNING_MS = 3_600_000;

/** A result of a handler, or a response that the handler has sent itself. */
interface Outcome {
  /** `none`, `null`, `json`, `text` and `bytes` are results, `error` is an error, `sent` a response. */
  readonly kind: string;
  readonly status: number | undefined;
  readonly body: string;
}

interface Sent {
  readonly status: number;
  readonly headers: readonly string[];
  readonly type: string | undefined;
  readonly body: string | Uint8Array;
}

/** The responses that handlers send themselves. */
const sent = new WeakMap<ServerResponse, Sent>();

/** Records the responses of a route, except for streams. */
export const recording = (io: HttpIo): HttpIo => ({
  ...io,
  write(out, status, headers = [], type, body, length) {
    sent.set(out, { status, headers: headers.slice(), type, body });
    return io.write(out, status, headers, type, body, length);
  },
  writeEmpty(out, status, headers = []) {
    sent.set(out, { status, headers: headers.slice(), type: undefined, body: '' });
    io.writeEmpty(out, status, headers);
  },
});

/** `handler`, which runs once for each key. Must not refer to a version. */
export const withKey =
  (handler: Handler, responsesOf: (req: HttpRequest) => StoredResponses): Handler =>
  (req, res, ctx) => {
    const key = req.header('idempotency-key');
    if (key === undefined || SAFE_METHODS.includes(req.method)) return handler(req, res, ctx);
    if (!KEY.test(key))
      throw new HttpProblem(400, 'The Idempotency-Key must have 1 to 255 visible ASCII characters');
    return responsesOf(req).run(key, req, res, () => handler(req, res, ctx));
  };

/** The stored responses to requests with a key, shared by all processes of an app. */
export class StoredResponses {
  constructor(
    private readonly memory: SharedMemory,
    private readonly project: Project,
  ) {}

  /** Return the result of `run`, or else the stored result of an earlier request. Rejects if the memory is unavailable. */
  async run(key: string, req: HttpRequest, res: HttpResponse, run: () => unknown): Promise<unknown> {
    const name = digest(JSON.stringify([key, callerOf(req)]));
    const request = await digestOf(req);
    // A key can expire between the two calls.
    for (let attempt = 0; attempt < 3; attempt += 1) {
      if (await this.memory.put(name, { request, kind: 'running' }, LEASE_S, 'new'))
        return this.#first(name, request, req, res, run);
      const known = await this.memory.get(name);
      if (known) return replay(known.fields, request, res);
    }
    throw running();
  }

  async #first(
    name: string,
    request: string,
    req: HttpRequest,
    res: HttpResponse,
    run: () => unknown,
  ): Promise<unknown> {
    const { clock } = this.project;
    const until = clock.now() + MAX_RUNNING_MS;
    const timer = clock.setInterval(() => {
      // A handler that never ends must not hold its key forever.
      if (clock.now() > until) return clock.clear(timer);
      const renewed = this.memory.put(name, {}, LEASE_S, 'existing');
      Promise.resolve(renewed).catch(() => {});
    }, RENEWAL_MS);
    const before = pairsOf(givenHeadersOf(res));
    const store = (outcome: Outcome | undefined) => {
      clock.clear(timer);
      return this.#store(name, request, outcome, before, req, res);
    };
    try {
      const result = await run();
      await store(await outcomeOf(result, req, res));
      return result;
    } catch (thrown) {
      // The error cannot change a response that the client already has.
      const isSent = (res.sent || res.isStreaming) && !(req.signal.reason instanceof HttpProblem);
      await store(isSent ? await outcomeOf(undefined, req, res).catch(() => UNSTORED) : failureOf(thrown));
      throw thrown;
    }
  }

  /** `outcome`: undefined if the next request with the key may run the handler again. Never rejects. */
  async #store(
    name: string,
    request: string,
    outcome: Outcome | undefined,
    before: readonly string[],
    req: HttpRequest,
    res: HttpResponse,
  ): Promise<void> {
    try {
      if (outcome === undefined) return void (await this.memory.take(name));
      const response = outcome.kind === 'sent' ? sent.get(res.raw) : undefined;
      const all = pairsOf(response?.headers ?? givenHeadersOf(res));
      // A cookie belongs to the response that sets it. Layers around the handler set their headers again.
      const headers = all.filter((pair) => !before.includes(pair) && !/^set-cookie\n/i.test(pair));
      const type = response ? response.type : res.contentType;
      const head = JSON.stringify({ status: outcome.status, type, headers });
      const isStored = Buffer.byteLength(outcome.body) <= MAX_BODY_BYTES;
      const { kind, body } = isStored ? outcome : { kind: 'unstored', body: '' };
      await this.memory.put(name, { request, kind, body, head }, LIFETIME_S);
    } catch (thrown) {
      const what = `The response of ${req.method} ${req.path} could not be stored for its Idempotency-Key`;
      logSafely(scopeLogger(this.project.logger, req), 'error', what, thrown);
    }
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Each header as one text. */
const pairsOf = (headers: readonly string[]): string[] =>
  headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}\n${headers[at + 1]}`] : []));

/**
 * The values that identify a caller. A `user` that a middleware has noted identifies the caller alone, because credentials can
 * be renewed between two attempts.
 */
function callerOf(req: HttpRequest): unknown {
  const user = notesOf(req.raw)?.user ?? undefined;
  if (user !== undefined) return typeof user === 'object' ? [JSON.stringify(user)] : [String(user)];
  const { headers } = req.raw;
  const session = sessionOf(req);
  const cookie = session?.isStored ? session.proofs?.('idempotency')[0] : headers.cookie;
  const names = Object.keys(headers).filter((name) => CREDENTIALS.test(name));
  return [cookie ?? null, names.sort().map((name) => [name, headers[name]])];
}

/** The digest of a request's method, URL and body. */
async function digestOf({ method, raw, body }: HttpRequest): Promise<string> {
  const files: Blob[] = [];
  const text = JSON.stringify([method, raw.url, raw.headers['content-type'] ?? null, plain(body, files)]);
  const hash = createHash('sha256').update(text);
  for (const file of files) hash.update(Buffer.from(await file.arrayBuffer()));
  return hash.digest('base64url');
}

/** A parsed body as JSON. The bytes of its files are hashed after it. */
function plain(body: unknown, files: Blob[]): unknown {
  if (body instanceof Uint8Array) return digest(Buffer.from(body).toString('base64'));
  if (typeof body !== 'object' || body === null) return body;
  if (body instanceof Blob) {
    files.push(body);
    return [body.type, body.size];
  }
  if (Array.isArray(body)) return body.map((one) => plain(one, files));
  return Object.entries(body).map(([name, value]) => [name, plain(value, files)]);
}

/** What to store of a result. Errors of the server are not stored. */
async function outcomeOf(result: unknown, req: HttpRequest, res: HttpResponse): Promise<Outcome | undefined> {
  if (isHttpError(result)) return failureOf(result);
  // After a timeout, fwk has responded, and the result is for the next attempt.
  const isLate = res.sent && req.signal.reason instanceof HttpProblem;
  if (!isLate && (res.sent || res.isHeld || res.isStreaming)) {
    // The head may wait for the session to be stored.
    if (!res.isStreaming) await res.settled();
    const response = sent.get(res.raw);
    if (!response) return UNSTORED;
    const { status, body } = response;
    return isFinal(status) ? { kind: 'sent', status, body: textOf(body) } : undefined;
  }
  const status = isLate && !isFinal(res.statusCode ?? 200) ? undefined : res.statusCode;
  if (!isFinal(status ?? 200)) return undefined;
  if (result === undefined || result === null)
    return { kind: result === null ? 'null' : 'none', status, body: '' };
  if (typeof result === 'string') return { kind: 'text', status, body: result };
  if (result instanceof Uint8Array) return { kind: 'bytes', status, body: textOf(result) };
  if (typeof result === 'object' && (Symbol.toStringTag in result || isStreamBody(result))) return UNSTORED;
  const body = JSON.stringify(result);
  // fwk responds with an error.
  return body === undefined ? undefined : { kind: 'json', status, body };
}

const UNSTORED: Outcome = { kind: 'unstored', status: undefined, body: '' };

const textOf = (body: string | Uint8Array): string =>
  (typeof body === 'string' ? Buffer.from(body) : Buffer.from(body)).toString('base64');

/** An error that the handler chose. The route itself did not run for errors of fwk, such as invalid input. */
const failureOf = (thrown: unknown): Outcome | undefined =>
  isHttpError(thrown) && !(thrown instanceof HttpProblem) && isFinal(thrown.status)
    ? { kind: 'error', status: thrown.status, body: JSON.stringify(thrown.body) }
    : undefined;

/** Whether the same request would get the same status again. */
const isFinal = (status: number): boolean => status < 500 && status !== 429;

const running = (): HttpProblem =>
  new HttpProblem(409, 'The first request with this Idempotency-Key is still running', undefined, {
    'Retry-After': '1',
  });

/** The result of the first request. Throws for another request, and for a request that is still running. */
function replay(fields: Fields, request: string, res: HttpResponse): unknown {
  const { kind, body = '', head = '{}' } = fields;
  if (fields.request !== request)
    throw new HttpProblem(
      422,
      'This Idempotency-Key was used for a request with another method, URL or body. Send a new key',
    );
  if (kind === 'running') throw running();
  if (kind === 'unstored')
    throw new HttpProblem(
      409,
      `The first request with this Idempotency-Key is complete, but its response is not stored, because it is a stream or larger than ${MAX_BODY_BYTES} bytes`,
    );
  const { status, type, headers } = JSON.parse(head);
  for (const pair of headers) {
    const [name = '', value = ''] = pair.split('\n');
    res.header(name, value);
  }
  res.header('Idempotent-Replayed', 'true');
  if (kind === 'error') throw new HttpError(status, JSON.parse(body));
  if (status !== undefined) res.status(status);
  if (type !== undefined) res.type(type);
  if (kind === 'none') return undefined;
  if (kind === 'null') return null;
  if (kind === 'text') return body;
  if (kind === 'json') return JSON.parse(body);
  const bytes = Buffer.from(body, 'base64');
  if (kind === 'bytes') return bytes;
  return bytes.length === 0 && type === undefined ? res.end() : res.send(bytes);
}
