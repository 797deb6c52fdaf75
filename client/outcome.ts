import type { CallOptions, Err, Ok } from './calls.js';
import { eventsOf, parsed } from './events.js';

/** 502 (RFC 9110 §15.6.3): the server sent an invalid response. */
const BAD_GATEWAY = 502;

/**
 * The outcome of a response to `method`. A failure of a server or proxy in another format becomes a problem
 * document. Rejects if the connection breaks, or is aborted, before the body is complete.
 */
export async function outcomeOf(
  response: Response,
  method: string,
): Promise<Ok<number, unknown> | Err<number, unknown>> {
  const { ok, status, statusText } = response;
  const fallback = statusText || `HTTP ${status}`;
  const type = (response.headers.get('content-type') ?? '').toLowerCase();
  const success = (data?: unknown) => ({ ok: true, status, data, response }) as const;
  const failure = (status: number, error: unknown) => ({ ok: false, status, error, response }) as const;
  const problem = (message = fallback, code = status) => failure(code, { status: code, message });

  if (method === 'HEAD' || status === 204 || status === 205) return ok ? success() : problem();
  if (ok && type.startsWith('text/event-stream')) return success(eventsOf(response));
  if (/^[^;]*[/+]json *(;|$)/.test(type)) {
    const text = await response.text();
    const value = parsed(text);
    // Only text that is not JSON equals its value.
    if (ok) return value === text ? problem('The server sent invalid JSON', BAD_GATEWAY) : success(value);
    if (typeof value === 'object' && value) return failure(status, complete(value, status, fallback));
  } else if (type.startsWith('text/')) {
    const text = await response.text();
    if (ok) return success(text);
    // An HTML page has no error message.
    if (text && type.startsWith('text/plain')) return problem(text);
  } else {
    const bytes = await response.blob();
    if (ok) return success(bytes.size || type ? bytes : undefined);
  }
  return problem();
}

/** Add the status code and a readable message, which every error has, as non-enumerable properties. */
function complete(error: object, status: number, fallback: string): object {
  // Other servers send the message in `detail` or `title` (RFC 9457 §3.1).
  const { detail, title = fallback } = error as { readonly detail?: unknown; readonly title?: unknown };
  for (const [name, value] of Object.entries({ status, message: detail ?? title }))
    if (!(name in error)) Object.defineProperty(error, name, { value });
  return error;
}

/** The data of a successful call. Throws an Error with `status` and `error` for a failed one. */
export async function data<
  T extends {
    readonly ok: boolean;
    readonly status: number;
    readonly data?: unknown;
    readonly error?: unknown;
  },
>(outcome: T | Promise<T>): Promise<Extract<T, { readonly ok: true }>['data']> {
  const { ok, status, data, error } = await outcome;
  if (ok) return data;
  const { message } = error as { readonly message: string };
  throw Object.assign(new Error(message), { status, error });
}

export interface AnyOptions extends CallOptions {
  readonly params?: Record<string, unknown>;
  readonly query?: Record<string, unknown>;
  readonly headers?: Record<string, unknown>;
  readonly body?: unknown;
}

/** The URL of a path below `base`. Throws a TypeError for a parameter that is missing, or that a URL cannot hold. */
export function locate(base: string | URL, path: string, { params = {}, query = {} }: AnyOptions): URL {
  const url = new URL(base);
  const segments = path.split('/').map((segment) => {
    const name = segment.slice(1);
    if (!/^[:*]/.test(segment)) return encodeURIComponent(segment);
    const value = { __proto__: null, ...params }[name];
    const parts = segment[0] === '*' ? textOf(value).split('/') : [textOf(value)];
    // An empty parameter changes the path, and so do the dot segments `.` and `..`, even if they are escaped.
    if (parts.some((part) => /^\.{0,2}$/.test(part)))
      throw new TypeError(`${path} needs the parameter "${name}", not "${value}"`);
    return parts.map(encodeURIComponent).join('/');
  });
  url.pathname = url.pathname.replace(/\/$/, '') + segments.join('/');
  url.search = url.hash = '';
  append(query, (name, value) => url.searchParams.append(name, textOf(value)));
  return url;
}

/** The body as `fetch` takes it. Sets the content type for JSON, unless `headers` already has one. */
export function encode(body: unknown, headers: Headers): BodyInit | undefined {
  // Referenced lazily, because Node loads its `fetch` with these classes.
  const native = [Blob, FormData, URLSearchParams, ReadableStream, ArrayBuffer];
  // A content type that is set for all calls lacks the boundary.
  if (body instanceof FormData) headers.delete('content-type');
  if (body === undefined || native.some((type) => body instanceof type) || ArrayBuffer.isView(body))
    return body as BodyInit | undefined;
  if (typeof body === 'object' && body && Object.values(body).flat().some(isFile)) {
    const form = new FormData();
    append(body, (name, value) =>
      isFile(value) ? form.append(name, value) : form.append(name, textOf(value)),
    );
    return encode(form, headers);
  }
  if (!headers.has('content-type')) headers.set('content-type', 'application/json');
  else if (typeof body === 'string') return body;
  return JSON.stringify(body);
}

type BodyInit = NonNullable<RequestInit['body']>;

const isFile = (value: unknown): value is Blob => value instanceof Blob;

const textOf = (value: unknown): string =>
  value instanceof Date ? value.toISOString() : String(value ?? '');

export function append(fields: object, to: (name: string, value: unknown) => void): void {
  for (const [name, value] of Object.entries(fields))
    for (const one of [value].flat()) if (one != null) to(name, one);
}
