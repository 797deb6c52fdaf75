import { error, type HttpRequest, type HttpRoute } from '../../http/index.js';
import { isUnmatchable } from '../../http/internal.js';
import type { RouteInput } from './schemas.js';

/** Headers of an MCP request that describe the message and its connection, not the sender. */
const OWN =
  /^(accept|accept-encoding|connection|content-.*|expect|host|if-.*|keep-alive|last-event-id|mcp-.*|proxy-.*|range|te|trailer|transfer-encoding|upgrade)$/;

export interface CalledRoute extends Pick<HttpRoute, 'method' | 'path'> {
  readonly input: RouteInput;
}

/**
 * Build the request for a call: the arguments in their places, and the headers of `caller`, the MCP
 * request. Throws an HttpError for arguments that no request can contain.
 */
export function requestFor(
  { method, path, input }: CalledRoute,
  given: Readonly<Record<string, unknown>>,
  caller: HttpRequest | undefined,
  signal: AbortSignal,
): Request {
  const params = new Map<string, unknown>();
  const query = new URLSearchParams();
  const body = new Map<string, unknown>();
  for (const [name, value] of Object.entries(given)) {
    const part = input.partOf.get(name) ?? input.others;
    if (part === undefined) throw unknownArgument(name, input);
    if (part === 'params') params.set(name, value);
    else if (part === 'body') body.set(name, value);
    else for (const text of textsOf(name, value)) query.append(name, text);
  }
  const search = query.size > 0 ? `?${query}` : '';
  const headers = new Headers(callerHeaders(caller));
  headers.set('accept', 'application/json, */*;q=0.8');
  const sent = input.others === 'body' ? JSON.stringify(Object.fromEntries(body)) : undefined;
  if (sent !== undefined) headers.set('content-type', 'application/json');
  return new Request(`http://localhost${filled(path, params)}${search}`, {
    method,
    headers,
    body: sent ?? null,
    redirect: 'manual',
    signal,
  });
}

function unknownArgument(name: string, { partOf }: RouteInput): Error {
  const known = [...partOf.keys()].map((one) => `"${one}"`).join(', ') || 'none';
  return error(422, `There is no argument "${name}". The tool takes ${known}.`);
}

function filled(path: string, params: ReadonlyMap<string, unknown>): string {
  const segments = path.split('/').map((segment) => {
    const name = segment.slice(1);
    if (segment.startsWith(':')) return segmentOf(name, textOf(name, params.get(name)));
    if (!segment.startsWith('*')) return encodeURIComponent(segment);
    const rest = textOf(name, params.get(name)).split('/');
    return rest.map((one) => segmentOf(name, one)).join('/');
  });
  return segments.join('/');
}

/** Encodes an argument as a segment of a URL path. Throws an HttpError for values that no URL can carry as a parameter. */
function segmentOf(name: string, text: string): string {
  const mistake = `The argument "${name}" is part of a path: it must not be empty or ".", and must not contain a ".." segment.`;
  if (isUnmatchable(text)) throw error(422, mistake);
  // Replaces lone surrogates, which a URL cannot contain.
  return encodeURIComponent(Buffer.from(text).toString());
}

/** The values of a key of the query string. A null value is not sent. */
function textsOf(name: string, value: unknown): string[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value.map((one) => textOf(name, one)) : [textOf(name, value)];
}

function textOf(name: string, value: unknown): string {
  if (/^(?:string|number|boolean)$/.test(typeof value)) return String(value);
  const mistake = value === undefined ? 'is missing' : 'must be a string, a number or a boolean';
  throw error(422, `The argument "${name}" ${mistake}.`);
}

/** The headers that identify the caller; over stdio there is none. */
export function callerHeaders(caller: HttpRequest | undefined): Record<string, string> {
  const sent = Object.entries({ ...caller?.raw.headers });
  const own = sent.filter(([name, value]) => value !== undefined && !OWN.test(name));
  const host = caller?.raw.headers.host ?? 'localhost';
  return { ...Object.fromEntries(own.map(([name, value]) => [name, String(value)])), host };
}
