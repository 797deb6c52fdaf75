import type { RequestListener } from 'node:http';
import { isIP } from 'node:net';
import { HttpProblem } from '../errors/http-error.js';
import { sendProblem } from '../errors/send-error.js';
import { HttpResponse } from '../response/response.js';

interface Names {
  /** The name or address that the server listens on. */
  readonly host: string;
  readonly allowed: readonly string[];
  /** Advice for people who want another name to be answered: a sentence without its full stop. */
  readonly advice: string;
}

/**
 * Answer only what names this machine: localhost and names below it, any address, any name without a dot, the name that is
 * listened on, and those in `allowed` (`.shop.test` stands for all names below `shop.test`, `*` for all there are). A page of
 * another site can have its own name resolve to this machine and then read what is answered as its own (DNS rebinding); an
 * address cannot be rebound, and a name without a dot, as containers have beside each other, belongs to nobody on the internet.
 */
export function requireKnownHost(
  { host, allowed, advice }: Names,
  listener: RequestListener,
): RequestListener {
  if (allowed.includes('*')) return listener;
  const names = new Set(['localhost', host, ...allowed].map((name) => name.toLowerCase()));
  const suffixes = ['.localhost', ...names].filter((name) => name.startsWith('.'));
  const isAllowed = (name: string): boolean =>
    isIP(name) !== 0 ||
    !name.includes('.') ||
    names.has(name) ||
    suffixes.some((suffix) => name.endsWith(suffix));
  return (raw, out) => {
    const { host: given } = raw.headers;
    // Every browser sends it, and Node requires it of HTTP/1.1 clients.
    if (given === undefined || isAllowed(nameOf(given))) return listener(raw, out);
    const message = `Host "${given}" is not one of the names of this development server. ${advice}`;
    sendProblem(new HttpProblem(403, message, undefined, {}, 'FWK211'), raw, new HttpResponse(out));
  };
}

/** The name in a Host header (RFC 9110 §7.2), without port, brackets and the full stop of the root. */
function nameOf(host: string): string {
  const name = host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.split(':', 1).join();
  return name.toLowerCase().replace(/\.$/, '');
}
