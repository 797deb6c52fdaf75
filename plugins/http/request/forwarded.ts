import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { Project } from '../../../kernel/index.js';
import { HttpProblem } from './http-error.js';
import { segmentsOf } from './path-segments.js';
import { httpSettingsOf, type TrustProxy } from './project-settings.js';

/** `host[:port]`, without user information (RFC 9110 §7.2, RFC 3986 §3.2.2). `URL` checks everything else. */
const AUTHORITY = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::\d*)?$/i;

/** Schemes in X-Forwarded-Proto. Some proxies send `ws` or `wss` for a WebSocket handshake. */
const SCHEMES: ReadonlyMap<string, string> = new Map([
  ['http', 'http'],
  ['https', 'https'],
  ['ws', 'http'],
  ['wss', 'https'],
]);

/**
 * The full URL of a request for `target`. Its path is the path that is routed: throws an HttpProblem with 400 if `URL` would
 * change the path, and if the host or the scheme is invalid.
 */
export function requestUrl(raw: IncomingMessage, target: string, trustProxy: TrustProxy): URL {
  const origin = originOf(raw, trustProxy);
  // `OPTIONS *` addresses the whole server and has no path (RFC 9110 §7.1).
  if (target === '*' && raw.method === 'OPTIONS') return new URL(origin);
  if (!target.startsWith('/')) throw badTarget(target);
  // Concatenated: if it were resolved against a base, a path that begins with `//` would become a host.
  const url = new URL(origin + target);
  if (!isPathOf(url, target)) throw new HttpProblem(400, ODD_PATH);
  return url;
}

/** The 400 response to a request whose target isn't a path, or can't be decoded. */
export const badTarget = (target: string): HttpProblem =>
  new HttpProblem(
    400,
    target.startsWith('/')
      ? 'The path is not validly percent-encoded'
      : 'The request line must contain a path, such as "/books", or a full http URL',
  );

const ODD_PATH = 'The path contains a "." or ".." segment, a "\\" or a "#". Send the normalized path';

/** Checks whether the client used HTTPS, to this server or its trusted proxy. Known at `Stage.check`. */
export const httpsCheckOf = (project: Project): ((raw: IncomingMessage) => boolean) => {
  const { trustProxy } = httpSettingsOf(project);
  return (raw) => schemeOf(raw, forwardedIn(raw, trustProxy, 'x-forwarded-proto')) === 'https';
};

/** The last value of a forwarded header; undefined if the peer of the connection is not trusted. */
const forwardedIn = (raw: IncomingMessage, trustProxy: TrustProxy, name: string): string | undefined =>
  trusts(raw, trustProxy) ? lastOf(raw.headers[name], 1) : undefined;

/** The scheme that the client used; undefined if the forwarded one is invalid. */
const schemeOf = ({ socket }: IncomingMessage, proto: string | undefined): string | undefined => {
  if (proto !== undefined) return SCHEMES.get(proto.toLowerCase());
  return socket !== null && 'encrypted' in socket && socket.encrypted === true ? 'https' : 'http';
};

/** Scheme and host of the URL that the client requested: `https://shop.example`. */
function originOf(raw: IncomingMessage, trustProxy: TrustProxy): string {
  const proto = forwardedIn(raw, trustProxy, 'x-forwarded-proto');
  const scheme = schemeOf(raw, proto);
  if (scheme === undefined)
    throw new HttpProblem(400, `X-Forwarded-Proto must be "http" or "https", not ${JSON.stringify(proto)}`);
  return `${scheme}://${authorityOf(raw, trustProxy)}`;
}

/** The host, and the port if there is one, of the URL that the client requested. Throws an HttpProblem with 400 if it is invalid. */
export function authorityOf(raw: IncomingMessage, trustProxy: TrustProxy): string {
  const host = forwardedIn(raw, trustProxy, 'x-forwarded-host');
  // An invalid value isn't replaced by Host: links made from Host might point to an internal name that clients can't reach.
  return host === undefined ? ownAuthority(raw) : checked(host, 'X-Forwarded-Host');
}

function ownAuthority(raw: IncomingMessage): string {
  // If the target is absolute, Host is ignored (RFC 9112 §3.2.2).
  const written = absolute(raw.url ?? '')?.authority;
  if (written !== undefined) return checked(written, 'The host of the request line');
  const { host } = raw.headers;
  if (host === undefined) return addressOf(raw);
  const isHost = (name: string, at: number) =>
    at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host';
  // Node uses the first of several Host headers, but proxies may have used the last.
  if (raw.rawHeaders.filter(isHost).length > 1)
    throw new HttpProblem(400, 'The request has more than one Host header');
  return checked(host, 'Host');
}

/** Whether Host is repeated or invalid (RFC 9112 §3.2). An empty one is valid. Runs for every request. */
export function hasOddHost(rawHeaders: readonly string[]): boolean {
  let host: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length !== 4 || (name !== 'Host' && name.toLowerCase() !== 'host')) continue;
    if (host !== undefined) return true;
    host = rawHeaders[index + 1];
  }
  if (host === undefined || host === valid || host === '') return false;
  if (!isAuthority(host)) return true;
  valid = host;
  return false;
}

/** Most requests have the same host as the previous request, so its check is cached. */
let valid: string | undefined;

function checked(authority: string, name: string): string {
  if (authority === valid) return authority;
  if (!isAuthority(authority))
    throw new HttpProblem(
      400,
      `${name} must be a host with an optional port, not ${JSON.stringify(authority)}`,
    );
  valid = authority;
  return authority;
}

const isAuthority = (text: string): boolean => AUTHORITY.test(text) && URL.canParse(`http://${text}`);

/** The reason to reject the Host header of a request; undefined if it is ignored, because the target is absolute. */
export function hostProblem(raw: IncomingMessage): HttpProblem | undefined {
  try {
    ownAuthority(raw);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof HttpProblem) return thrown;
    throw thrown;
  }
}

/** HTTP/1.0 doesn't require Host. The fallback is the address that the client connected to. */
function addressOf({ socket }: IncomingMessage): string {
  const { localAddress, localPort } = socket;
  if (localAddress === undefined) return 'localhost';
  const address = unmapped(localAddress);
  return `${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}

/** The parts of an absolute target (RFC 9112 §3.2.2); undefined for other targets, and if the authority is invalid. */
export function absolute(target: string): { authority: string; path: string } | undefined {
  const [, authority = '', path = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(target) ?? [];
  if (!isAuthority(authority)) return undefined;
  return { authority, path: path.startsWith('/') ? path : `/${path}` };
}

/** Whether `URL` keeps the path of a target: it resolves dots, turns `\` into `/` and removes everything after `#`. */
function isPathOf({ pathname }: URL, target: string): boolean {
  if (target.includes('#')) return false;
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  if (pathname === path) return true;
  // `URL` encodes characters that the client should have encoded.
  const own = segmentsOf(path);
  const read = segmentsOf(pathname);
  return (
    own !== undefined &&
    read !== undefined &&
    own.length === read.length &&
    own.every((segment, index) => segment === read[index])
  );
}

/** The client's address: the one seen by the first of the `trustProxy` proxies that the request passed. */
export function clientAddress(raw: IncomingMessage, trustProxy: TrustProxy): string {
  const { remoteAddress = '' } = raw.socket;
  const own = remoteAddress.startsWith('::ffff:') ? addressIn(remoteAddress) : remoteAddress;
  if (trustProxy === false) return own;
  const hops = String(raw.headers['x-forwarded-for'] ?? '').split(',');
  if (typeof trustProxy === 'object') return firstUntrusted(own, hops, networksOf(trustProxy));
  const given = lastOf(hops.join(','), trustProxy === true ? hops.length : trustProxy);
  return (given === undefined ? '' : addressIn(given)) || own;
}

/** The address nearest to this server that isn't a proxy's. Text that is no address ends the search. */
function firstUntrusted(own: string, hops: readonly string[], networks: BlockList): string {
  let address = own;
  for (let index = hops.length - 1; index >= 0 && contains(networks, address); index--) {
    const before = addressIn(hops[index] ?? '');
    if (before === '') break;
    address = before;
  }
  return address;
}

/** The IP address in a text that may have a port, brackets, a zone or an IPv4-mapped form; '' if there is none. */
function addressIn(text: string): string {
  const [, bracketed, plain] = /^\[([^\]]*)\](?::\d+)?$|^([^:]+):\d+$/.exec(text.trim()) ?? [];
  const address = unmapped(bracketed ?? plain ?? text.trim());
  return isIP(address) === 0 ? '' : address;
}

/** An address without its zone. An IPv4 address that is mapped to IPv6 (RFC 4291 §2.5.5.2) is returned as IPv4. */
const unmapped = (address: string): string => address.replace(/^::ffff:(?=[\d.]+$)/i, '').replace(/%.*$/, '');

/** Whether the peer of the connection is a proxy whose headers count. */
const trusts = ({ socket }: IncomingMessage, trustProxy: TrustProxy): boolean =>
  typeof trustProxy === 'object'
    ? contains(networksOf(trustProxy), addressIn(socket.remoteAddress ?? ''))
    : trustProxy !== false;

const contains = (networks: BlockList, address: string): boolean =>
  address !== '' && networks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

const networks = new WeakMap<readonly string[], BlockList>();

function networksOf(list: readonly string[]): BlockList {
  const known = networks.get(list);
  if (known) return known;
  const network = new BlockList();
  for (const one of list) {
    const [address = '', bits] = one.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) network.addAddress(address, family);
    else network.addSubnet(address, Number(bits), family);
  }
  networks.set(list, network);
  return network;
}

/** Whether a text is an IP address, or a network such as `10.0.0.0/8`. */
export function isNetwork(text: unknown): boolean {
  const [address = '', bits = '0', ...more] = String(text).split('/');
  const family = isIP(address);
  return (
    family !== 0 && more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32)
  );
}

/** The value at `position` from the right in a comma-separated header; the leftmost if there are fewer. */
function lastOf(header: string | string[] | undefined, position: number): string | undefined {
  const values = String(header ?? '')
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '');
  return values[Math.max(values.length - position, 0)];
}

/** Whether a value is an origin in the form that browsers send: `https://shop.example`. */
export const isOrigin = (value: unknown): boolean =>
  typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value;
