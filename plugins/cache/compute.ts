import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { coded, type Project } from '../../kernel/index.js';
import { attachSession, type Session, sessionOf } from '../context/internal.js';
import { type Handler, type HttpRequest, loadDetachedRunner } from '../http/index.js';
import { headerOf, markStable } from '../http/internal.js';
import { type CacheMeta, searchFor } from './meta.js';

export interface Entry {
  readonly status: number;
  readonly type: string | undefined;
  /** Alternating names and values, except for the media type. */
  readonly headers: readonly string[];
  readonly bytes: Uint8Array;
  readonly tags: readonly string[];
  readonly at: number;
}

/** The result of a computation: a response to cache, or a response for this request only. */
export type Computed = { readonly entry: Entry } | { readonly single: SingleResponse };

export interface SingleResponse {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Readable;
}

/** Status codes of a handler that are cacheable by default for a GET request (RFC 9110 §15.1). */
const CACHEABLE_STATUSES = new Set([200, 203, 204, 300, 301, 308, 404, 410]);
/** Headers of a single connection, and headers that are set again when the response is sent. */
const UNCACHED_HEADERS = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date']);
/** Headers that request a part or a version of a response, which is derived from the complete response. */
const NOT_PASSED =
  /^(?:if-.*|range|connection|content-length|transfer-encoding|expect|upgrade|accept-encoding|te)$/;

/** Runs a function in the asynchronous context of this module's import, which belongs to no request. */
const outsideRequests = AsyncLocalStorage.snapshot();

/**
 * Runs the handler of a route for all visitors with the same key. An `AsyncLocalStorage` of a
 * middleware holds one visitor's data, so the handler doesn't see it. Rejects with the error that
 * the handler throws.
 */
export const compute = (...computation: Parameters<typeof computeInContext>): Promise<Computed> =>
  outsideRequests(computeInContext, ...computation);

async function computeInContext(
  project: Project,
  handler: Handler,
  req: HttpRequest,
  { vary = [], key, query }: CacheMeta,
  tags: readonly string[],
  maxEntry: number,
): Promise<Computed> {
  const { runDetached } = await loadDetachedRunner();
  const session = key ? sessionOf(req) : new NobodysSession(req);
  const result = await runDetached(project, handler, req, {
    headers: key ? passed(req) : named(req, vary),
    isKnown: key !== undefined,
    search: searchFor(req, query),
    ...(session ? { prepare: (own: HttpRequest) => attachSession(own, session) } : {}),
  });
  const { statusCode: status = 200, rawHeaders } = result;
  const headers = rawHeaders.filter(
    (_, index) => !UNCACHED_HEADERS.has(rawHeaders[index - (index % 2)]?.toLowerCase() ?? ''),
  );
  if (!CACHEABLE_STATUSES.has(status) || !isCacheable(headers))
    return { single: { status, headers, body: result } };
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of result.iterator({ destroyOnReturn: false })) {
    pieces.push(piece);
    length += piece.length;
    if (length > maxEntry) break;
  }
  const bytes = Buffer.concat(pieces);
  if (length > maxEntry) {
    result.unshift(bytes);
    return { single: { status, headers, body: result } };
  }
  markStable(bytes);
  const at = project.clock.now();
  const type = headerOf(headers, 'content-type');
  const own = headers.filter((_, index) => headers[index - (index % 2)]?.toLowerCase() !== 'content-type');
  if (status === 200 && headerOf(own, 'etag') === undefined)
    own.push('ETag', `"${createHash('sha1').update(bytes).digest('base64url')}"`);
  return { entry: { status, type, headers: own, bytes, tags, at } };
}

/** A cookie belongs to one visitor, and a handler may forbid caching (RFC 9111 §5.2.2.5, §5.2.2.7). */
const isCacheable = (headers: readonly string[]): boolean =>
  headerOf(headers, 'set-cookie') === undefined &&
  !/\b(?:no-store|private)\b/i.test(headerOf(headers, 'cache-control') ?? '');

const passed = ({ raw }: HttpRequest): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(raw.headers).filter(([name]) => !NOT_PASSED.test(name)));

function named(req: HttpRequest, names: readonly string[]): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {};
  for (const name of names) {
    const value = req.header(name);
    if (value !== undefined) headers[name.toLowerCase()] = value;
  }
  return headers;
}

/** A computation for all visitors must not read the session of one. */
class NobodysSession implements Session {
  readonly #label: string;

  constructor({ route, path }: HttpRequest) {
    this.#label = route.file ?? path;
  }

  value(key: string): never {
    throw coded(
      'FWK406',
      new Error(
        `ctx.${key} is a session value, but ${this.#label} is cached for all visitors: give its cache a key that identifies the visitor, or do not cache it`,
      ),
    );
  }

  assign(key: string): never {
    return this.value(key);
  }

  renew(): never {
    return this.value('session');
  }

  end(): never {
    return this.value('session');
  }

  endAll(): never {
    return this.value('session');
  }

  async close(): Promise<void> {}
}
