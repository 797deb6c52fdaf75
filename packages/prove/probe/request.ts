/** One request as it is sent, before it is bytes. */
export interface ProbeRequest {
  readonly method: string;
  /** Sent as it is: what is wrong with it is the point. */
  readonly target: string;
  /** Names are written as they are given. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The headers with `value` for `name`, however the name is written there. */
export function withHeader(
  headers: ProbeRequest['headers'],
  name: string,
  value: string,
): ProbeRequest['headers'] {
  const lower = name.toLowerCase();
  const others = Object.entries(headers).filter(([known]) => known.toLowerCase() !== lower);
  return { ...Object.fromEntries(others), [name]: value };
}

/** The headers of `given` in place of those of the same name. */
export const withHeaders = (
  headers: ProbeRequest['headers'],
  given: Readonly<Record<string, string>>,
): ProbeRequest['headers'] =>
  Object.entries(given).reduce((all, [name, value]) => withHeader(all, name, value), headers);

/** The header that says which request it is. Whoever raises a flag reads it. */
export const MARK = 'x-fwk-probe';

/** A handshake (RFC 6455 §4.1). */
const HANDSHAKE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** Methods whose requests have a body. */
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Where a request goes. */
export interface Destination {
  readonly kind: string;
  /** `ALL` is asked with POST. */
  readonly method: string;
  readonly path: string;
}

/** The request that a visitor with `headers` would send: as plain as it can be. */
export function plainRequest(
  { kind, method, path }: Destination,
  headers: ProbeRequest['headers'],
): ProbeRequest {
  const own = withHeaders(
    kind === 'ws' ? { Host: 'localhost', ...HANDSHAKE } : { Host: 'localhost' },
    headers,
  );
  return withMethod({ method, target: path, headers: own }, method === 'ALL' ? 'POST' : method);
}

/** The request by another method, with a body where that has one. */
export function withMethod({ target, headers }: ProbeRequest, method: string): ProbeRequest {
  if (!WITH_BODY.has(method)) return { method, target, headers };
  const hasType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  const typed = hasType ? headers : { ...headers, 'Content-Type': 'application/json' };
  return { method, target, headers: typed, body: '{}' };
}

/** The value of each parameter. */
const FILL = 'x1';

/** A URL that a path with parameters answers. */
export const filled = (path: string): string =>
  path.replace(/\/([:*])[^/]*/g, (_, kind) => (kind === '*' ? `/${FILL}/${FILL}` : `/${FILL}`)) || '/';

/** The values of its parameters there, by name. */
export const fills = (path: string): Record<string, string> =>
  Object.fromEntries(
    [...path.matchAll(/\/([:*])([^/]*)/g)].map(([, kind, name]) => [
      name,
      kind === '*' ? `${FILL}/${FILL}` : FILL,
    ]),
  );

/** The bytes of a request that is marked with `mark`. */
export function bytesOf({ method, target, headers, body }: ProbeRequest, mark: string): Buffer {
  const sent = {
    ...headers,
    [MARK]: mark,
    ...(body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }),
  };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`, 'latin1');
}
