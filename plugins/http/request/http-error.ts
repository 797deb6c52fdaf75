import { STATUS_CODES } from 'node:http';
import { brand } from '../../../contributions/index.js';
import { coded, type ProblemCode } from '../../../kernel/index.js';

/**
 * Thrown by a handler or middleware, or returned by a handler: the response has `status`, and `body` as JSON. Not logged, but for a line where the
 * status is 500 or above.
 */
export class HttpError<S extends number = number, B = unknown> extends Error {
  override readonly name: string = 'HttpError';

  constructor(
    /** 400 to 599 (RFC 9110 §15.5, §15.6). */
    readonly status: S,
    /** Sent to the client, as JSON. */
    readonly body: B,
  ) {
    super(isMessage(body) ? body.message : `HTTP ${status}`);
    // Checked here: a body that cannot be serialised would fail where no handler can catch it.
    if (JSON.stringify(body) === undefined)
      throw coded('FWK410', 'the body of error() cannot be sent as JSON');
  }
}

/**
 * Make an error to throw or to return: `throw error(400, { message: 'Title is missing' })`. A string stands for
 * `{ message }`, and nothing for the name of the status. Throws RangeError for a status that is not an error's.
 */
export function error<const S extends number, B extends string | object = string>(
  status: S,
  body?: B,
): HttpError<S, ErrorBody<B>> {
  if (!Number.isInteger(status) || status < 400 || status > 599)
    throw coded('FWK412', new RangeError(`error() takes a status from 400 to 599, not ${String(status)}`));
  // TypeScript does not follow a condition into a type.
  return new HttpError(status, bodyOf(status, body) as ErrorBody<B>);
}

const bodyOf = (status: number, given: string | object | undefined): object =>
  typeof given === 'object' ? given : { message: given ?? STATUS_CODES[status] ?? `HTTP ${status}` };

/** The body of an error: text becomes its message. */
export type ErrorBody<B> = B extends string ? { message: string } : B;

function isMessage(body: unknown): body is { message: string } {
  return typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string';
}

const httpErrors = brand<HttpError>('fwkit.httpError');
httpErrors.mark(HttpError.prototype);

/** Whether it is an HttpError. Also true of one that another copy of this package made. */
export const isHttpError: (thrown: unknown) => thrown is HttpError = httpErrors.has;

/** Throws a result that is an error: `return error(…)` is one as `throw error(…)` is. */
export function thrownIfError(result: unknown): unknown {
  if (result instanceof Error && isHttpError(result)) throw result;
  return result;
}

/**
 * An error that the framework itself, or a plugin, answers a request with, as a problem document (RFC 9457). A middleware that
 * catches one sees an HttpError with its `status`, and the document as its `body`.
 */
export class HttpProblem extends HttpError {
  #problem: string | undefined;

  constructor(
    status: number,
    message: string,
    /** The single mistakes, where they are known: one entry per field, say. */
    private readonly errors?: readonly unknown[],
    /** Headers of the response. */
    readonly headers: Readonly<Record<string, string>> = {},
    /** The error code of the mistake in the project that causes this response. For development only. */
    code?: ProblemCode,
  ) {
    // Frozen: a problem may be shared by many requests.
    const document = { status, title: STATUS_CODES[status] ?? 'Error', message, errors };
    super(status, Object.freeze(code === undefined ? document : { code, ...document }));
  }

  /** Set its headers on `res`, for layers that answer it in a form of their own. Returns this, to throw. */
  on(res: { header(name: string, value: string): unknown }): this {
    for (const name in this.headers) res.header(name, this.headers[name] ?? '');
    return this;
  }

  get mistakes(): string[] {
    return (this.errors ?? []).map(sentenceOf).filter((sentence) => sentence !== undefined);
  }

  get problem(): string {
    this.#problem ??= JSON.stringify(this.body);
    return this.#problem;
  }
}

/** `body.author.name: must be a string` for an entry of a problem that says where it is; else undefined. */
function sentenceOf(entry: unknown): string | undefined {
  if (!isMessage(entry)) return undefined;
  const { message, path = [], in: part }: { message: string; path?: unknown; in?: unknown } = entry;
  const place = [part, ...(Array.isArray(path) ? path : [])].filter((key) => key !== undefined).join('.');
  return place === '' ? message : `${place}: ${message}`;
}

/** The 404. Shared by all requests: capturing a stack takes longer than the rest of a 404. */
export const NOT_FOUND = new HttpProblem(404, 'There is nothing at this address');

/** Thrown where a body is read whose client has left: it reaches layers, and no client. */
export const CLIENT_DISCONNECTED = new HttpProblem(400, 'The client went away before its body was complete');
