import type { CallOptions } from './calls.js';

/** The argument of a call, whatever its route. */
export interface AnyOptions extends CallOptions {
  readonly params?: Record<string, unknown>;
  readonly query?: Record<string, unknown>;
  readonly headers?: Record<string, unknown>;
  readonly body?: unknown;
}

/** The URL of a path below `base`. Throws a TypeError for a parameter that is missing, or that no URL can hold. */
export function locate(base: string | URL, path: string, { params = {}, query = {} }: AnyOptions): URL {
  const url = new URL(base);
  const segments = path.split('/').map((segment) => {
    const name = segment.slice(1);
    if (!/^[:*]/.test(segment)) return encodeURIComponent(segment);
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    const parts = segment[0] === '*' ? textOf(value).split('/') : [textOf(value)];
    // What is empty is another path, and so is what URLs take for a step: `.` and `..`, even if they are escaped.
    if (parts.some((part) => /^\.{0,2}$/.test(part)))
      throw new TypeError(`${path} needs the parameter "${name}"${value == null ? '' : `, not "${value}"`}`);
    return parts.map(encodeURIComponent).join('/');
  });
  url.pathname = url.pathname.replace(/\/$/, '') + segments.join('/');
  url.search = url.hash = '';
  append(query, (name, value) => url.searchParams.append(name, textOf(value)));
  return url;
}

/** The body as `fetch` takes it. Sets the type of JSON, unless `headers` has one. */
export function encode(body: unknown, headers: Headers): BodyInit | undefined {
  // Named where they are needed: Node loads its `fetch` with them.
  const native = [Blob, FormData, URLSearchParams, ReadableStream, ArrayBuffer];
  // One that is given for all calls lacks the boundary.
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
  value instanceof Date ? value.toISOString() : value == null ? '' : String(value);

/** Calls `to` for each value: a list has several, null and undefined are none. */
export function append(fields: object, to: (name: string, value: unknown) => void): void {
  for (const [name, value] of Object.entries(fields))
    for (const one of Array.isArray(value) ? value : [value]) if (one != null) to(name, one);
}
