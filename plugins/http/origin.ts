import type { IncomingMessage } from 'node:http';
import type { TrustProxy } from './request.js';

/** Scheme and host as the client addressed them: `https://shop.example`. */
export function originOf(raw: IncomingMessage, trustProxy: TrustProxy): string {
  const forwarded = (name: string) => (trustProxy === false ? undefined : lastOf(raw.headers[name], 1));
  const scheme = forwarded('x-forwarded-proto') ?? (isEncrypted(raw) ? 'https' : 'http');
  const origin = `${scheme}://${forwarded('x-forwarded-host') ?? raw.headers.host ?? 'localhost'}`;
  // Both headers are the client's to write; a bad one must not make every read of `req.url` throw.
  return URL.canParse(origin) && new URL(origin).pathname === '/' ? origin : 'http://localhost';
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

/** What only a `TLSSocket` has, asked without loading TLS. */
const isEncrypted = ({ socket }: IncomingMessage): boolean =>
  socket !== null && 'encrypted' in socket && socket.encrypted === true;
