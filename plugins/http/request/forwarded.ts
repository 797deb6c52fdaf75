import type { IncomingMessage } from 'node:http';
import type { Project } from '../../../kernel/index.js';
import { slotKey } from '../../../kernel/index.js';
import { HttpProblem } from './http-error.js';
import { segmentsOf } from './path-segments.js';

/** False: forwarded headers are ignored. True: all of them count. A number: so many proxies stand before the server. */
export type TrustProxy = boolean | number;

/** `host[:port]`, without user information (RFC 9110 §7.2, RFC 3986 §3.2.2). `URL` itself checks the rest. */
const AUTHORITY = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::\d*)?$/i;

/** Schemes in X-Forwarded-Proto. Proxies may name a handshake by the scheme of its WebSocket. */
const SCHEMES: ReadonlyMap<string, string> = new Map([
  ['http', 'http'],
  ['https', 'https'],
  ['ws', 'http'],
  ['wss', 'https'],
]);

/**
 * The full URL of a request for `target`. Its path is the one that is routed on: throws an HttpProblem with 400 where URL
 * would read another one, and where the host or scheme is not valid.
 */
export function requestUrl(raw: IncomingMessage, target: string, trustProxy: TrustProxy): URL {
  const origin = originOf(raw, trustProxy);
  // Asked of the server as a whole, which has no path (RFC 9110 §7.1).
  if (target === '*' && raw.method === 'OPTIONS') return new URL(origin);
  if (!target.startsWith('/')) throw badTarget(target);
  // Joined as text: resolved against a base, a path that begins with `//` would become a host.
  const url = new URL(origin + target);
  if (!isPathOf(url, target)) throw new HttpProblem(400, ODD_PATH);
  return url;
}

/** The 400 of a request whose target is not a path, or cannot be decoded. */
export const badTarget = (target: string): HttpProblem =>
  new HttpProblem(
    400,
    target.startsWith('/')
      ? 'The path is not validly percent-encoded'
      : 'The request line has to name a path of this server, such as "/books", or a whole http URL',
  );

const ODD_PATH = 'The path has "." or ".." as a segment, a "\\" or a "#": send it in its plain form';

/** Whether a client sent its request over https, as far as this server can know: behind `trustProxy` by what the proxy says. */
function isHttps(raw: IncomingMessage, trustProxy: TrustProxy): boolean {
  const proto = trustProxy === false ? undefined : lastOf(raw.headers['x-forwarded-proto'], 1);
  return proto === undefined ? isEncrypted(raw) : SCHEMES.get(proto.toLowerCase()) === 'https';
}

const TRUST_PROXY = slotKey<{ trustProxy: TrustProxy }>('http.trust-proxy');

const trustOf = (project: Project): { trustProxy: TrustProxy } =>
  project.slot(TRUST_PROXY, () => ({ trustProxy: false }));

export const setTrustProxy = (project: Project, trustProxy: TrustProxy): void => {
  trustOf(project).trustProxy = trustProxy;
};

/** Tells whether a client sent a request over https: to this server, or behind `http.trustProxy` to the proxy. Known at `Stage.check`. */
export const httpsCheckOf = (project: Project): ((raw: IncomingMessage) => boolean) => {
  const { trustProxy } = trustOf(project);
  return (raw) => isHttps(raw, trustProxy);
};

/** Scheme and host as the client addressed them: `https://shop.example`. */
function originOf(raw: IncomingMessage, trustProxy: TrustProxy): string {
  const forwarded = (name: string) => (trustProxy === false ? undefined : lastOf(raw.headers[name], 1));
  const proto = forwarded('x-forwarded-proto');
  const scheme =
    proto === undefined ? (isEncrypted(raw) ? 'https' : 'http') : SCHEMES.get(proto.toLowerCase());
  if (scheme === undefined)
    throw new HttpProblem(400, `X-Forwarded-Proto is "http" or "https", not ${JSON.stringify(proto)}`);
  const host = forwarded('x-forwarded-host');
  // A bad one is not replaced by Host: links that are made of that would lead to a host that clients cannot reach.
  return `${scheme}://${host === undefined ? ownAuthority(raw) : checked(host, 'X-Forwarded-Host')}`;
}

function ownAuthority(raw: IncomingMessage): string {
  // Of an absolute target, Host says nothing (RFC 9112 §3.2.2).
  const written = absolute(raw.url ?? '')?.authority;
  if (written !== undefined) return checked(written, 'The host of the request line');
  const { host } = raw.headers;
  if (host === undefined) return addressOf(raw);
  if (isRepeated(raw.rawHeaders)) throw new HttpProblem(400, 'The request has more than one Host header');
  return checked(host, 'Host');
}

/** Clients name few hosts: nearly always it is the one of the request before. */
let valid: string | undefined;

function checked(authority: string, name: string): string {
  if (authority === valid) return authority;
  if (!isAuthority(authority))
    throw new HttpProblem(
      400,
      `${name} has to be a host and perhaps a port, not ${JSON.stringify(authority)}`,
    );
  valid = authority;
  return authority;
}

const isAuthority = (text: string): boolean => AUTHORITY.test(text) && URL.canParse(`http://${text}`);

/** Node keeps the first of several; others on the way may have gone by the last. */
function isRepeated(rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count > 1;
}

/** HTTP/1.0 requires no Host: then it is the address that the client connected to. */
function addressOf({ socket }: IncomingMessage): string {
  const { localAddress, localPort } = socket;
  if (localAddress === undefined) return 'localhost';
  const address = localAddress.replace(/^::ffff:(?=[\d.]+$)/i, '').replace(/%.*$/, '');
  return `${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}

/** An absolute target (RFC 9112 §3.2.2) in its parts; undefined for others, and for one whose authority is not valid. */
export function absolute(target: string): { authority: string; path: string } | undefined {
  const [, authority = '', path = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(target) ?? [];
  if (!isAuthority(authority)) return undefined;
  return { authority, path: path.startsWith('/') ? path : `/${path}` };
}

/** Whether a URL has the path that a target has: URL resolves dots, turns `\` into `/` and cuts off the part after `#`. */
function isPathOf({ pathname }: URL, target: string): boolean {
  if (target.includes('#')) return false;
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  if (pathname === path) return true;
  // It encodes what should have been encoded.
  const own = segmentsOf(path);
  const read = segmentsOf(pathname);
  return (
    own !== undefined &&
    read !== undefined &&
    own.length === read.length &&
    own.every((segment, index) => segment === read[index])
  );
}

/** The address of the client: of the `trustProxy` proxies, the one that came first believes what it saw. */
export function clientAddress(raw: IncomingMessage, trustProxy: TrustProxy): string {
  const own = raw.socket.remoteAddress ?? '';
  if (trustProxy === false) return own;
  const hops = String(raw.headers['x-forwarded-for'] ?? '').split(',');
  return lastOf(hops.join(','), trustProxy === true ? hops.length : trustProxy) ?? own;
}

/** The `position`th value from the right of a comma-separated header; the leftmost if there are fewer. */
function lastOf(header: string | string[] | undefined, position: number): string | undefined {
  const values = String(header ?? '')
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '');
  return values[Math.max(values.length - position, 0)];
}

const isEncrypted = ({ socket }: IncomingMessage): boolean =>
  socket !== null && 'encrypted' in socket && socket.encrypted === true;
