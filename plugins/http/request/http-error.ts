import { STATUS_CODES } from 'node:http';
import { brand } from '../../../contributions/index.js';
import { coded, type ProblemCode } from '../../../kernel/index.js';

/**
 * An error that a handler or middleware throws, or a handler returns: the response has `status`, and `body` as JSON. Errors
 * of 500 and above are logged in one line, others aren't logged.
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
    // Checked here, because no handler could catch the failure of a body that can't be serialized later.
    if (JSON.stringify(body) === undefined)
      throw coded('FWK410', 'the body of error() cannot be sent as JSON');
  }
}

/**
 * Create an error to throw or return: `throw error(400, { message: 'Title is missing' })`. A string becomes `{ message }`;
 * without a body, the message is the reason phrase of the status. Throws RangeError for a status outside 400 to 599.
 */
export function error<const S extends number, B extends string | object = string>(
  status: S,
  body?: B,
): HttpError<S, ErrorBody<B>> {
  if (!Number.isInteger(status) || status < 400 || status > 599)
    throw coded('FWK412', new RangeError(`error() takes a status from 400 to 599, not ${String(status)}`));
  // TypeScript doesn't narrow a conditional type here.
  return new HttpError(status, bodyOf(status, body) as ErrorBody<B>);
}

const bodyOf = (status: number, given: string | object | undefined): object =>
  typeof given === 'object' ? given : { message: given ?? STATUS_CODES[status] ?? `HTTP ${status}` };

/** The body of an error: a string becomes its message. */
export type ErrorBody<B> = B extends string ? { message: string } : B;

function isMessage(body: unknown): body is { message: string } {
  return typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string';
}

const httpErrors = brand<HttpError>('fwkit.httpError');
httpErrors.mark(HttpError.prototype);

/** Whether a value is an HttpError, including one from another copy of this package. */
export const isHttpError: (thrown: unknown) => thrown is HttpError = httpErrors.has;

/**
 * An error response of the framework or of a plugin, sent as a problem document (RFC 9457). A middleware that catches it sees
 * an HttpError with its `status` and the document as its `body`.
 */
export class HttpProblem extends HttpError {
  #problem: string | undefined;

  constructor(
    status: number,
    message: string,
    /** The single mistakes, if they are known, for example one entry per field. */
    private readonly errors?: readonly unknown[],
    /** Headers of the response. */
    readonly headers: Readonly<Record<string, string>> = {},
    /** The error code of the mistake in the project that causes this response. Only used in development. */
    code?: ProblemCode,
  ) {
    // Frozen, because many requests may share a problem.
    const document = { status, title: STATUS_CODES[status] ?? 'Error', message, errors };
    super(status, Object.freeze(code === undefined ? document : { code, ...document }));
  }

  /** Set its headers on `res`, for layers that respond in their own format. Returns this, to throw. */
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

/** `body.author.name: must be a string` for an entry that has a path and a message; otherwise undefined. */
function sentenceOf(entry: unknown): string | undefined {
  if (!isMessage(entry)) return undefined;
  const { message, path = [], in: part }: { message: string; path?: unknown; in?: unknown } = entry;
  const place = [part, ...(Array.isArray(path) ? path : [])].filter((key) => key !== undefined).join('.');
  return place === '' ? message : `${place}: ${message}`;
}

/** The 404 problem. Shared by all requests, because capturing a stack trace takes longer than the rest of a 404. */
export const NOT_FOUND = new HttpProblem(404, 'There is nothing at this address');

/** Thrown when a body is read whose client has disconnected. Layers see it, but no client does. */
export const CLIENT_DISCONNECTED = new HttpProblem(
  400,
  'The client disconnected before its body was complete',
);
