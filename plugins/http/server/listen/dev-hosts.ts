import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { sendProblem } from '../../errors/send-error.js';
import { HttpProblem } from '../../request/http-error.js';
import { HttpResponse } from '../../response/response.js';
import type { Around } from '../serve/around.js';

export interface Names {
  readonly host: string;
  readonly allowed: readonly string[];
}

export interface AdvisedNames extends Names {
  /** How to allow another name: a sentence without a full stop. */
  readonly advice: string;
}

/**
 * Only answer to names of this machine: localhost and its subdomains, any address, any name without a dot, the name of the
 * listening host, and the names in `allowed` (`.shop.test` matches all subdomains of `shop.test`, `*` everything). A page of
 * another site could resolve its own name to this machine and then read responses as same-origin (DNS rebinding). An address
 * can't be rebound, and a name without a dot, as containers use, belongs to nobody on the internet.
 */
export function requireKnownHost({ host, allowed, advice }: AdvisedNames): Around {
  if (allowed.includes('*')) return (raw, out, next) => next(raw, out);
  const isNamed = among(['localhost', '.localhost', host, ...allowed]);
  const isAllowed = (name: string): boolean => isUnboundable(name) || isNamed(name);
  /** Hosts that the terminal has shown. */
  const reported = new Set<string>();
  return (raw, out, next) => {
    const { host: given } = raw.headers;
    // Every browser sends Host, and Node requires it from HTTP/1.1 clients.
    if (given === undefined || isAllowed(nameOf(given))) return next(raw, out);
    const message = `Host "${given}" is not an allowed host of this development server. ${advice}`;
    if (reported.size < MAX_REPORTED && !reported.has(given) && /^[\x21-\x7e]+$/.test(given)) {
      reported.add(given);
      console.warn('%s', `FWK211 ${message}.`);
    }
    sendProblem(new HttpProblem(403, message, undefined, {}, 'FWK211'), raw, new HttpResponse(out));
  };
}

/** The most refused hosts that the terminal shows. */
const MAX_REPORTED = 20;

/** An address or a name without a dot can't be the host of another site's page. */
const isUnboundable = (name: string): boolean => isIP(name) !== 0 || !name.includes('.');

/** Whether a name is in the list, or a subdomain of an entry that begins with a dot. */
export function among(given: readonly string[]): (name: string) => boolean {
  const names = new Set(given.map((name) => name.toLowerCase()));
  const suffixes = [...names].filter((name) => name.startsWith('.'));
  return (name) => names.has(name) || suffixes.some((suffix) => name.endsWith(suffix));
}

/** Loopback addresses (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3). */
const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/;
/** Listening on all addresses doesn't specify a name. */
const WILDCARDS: readonly string[] = ['0.0.0.0', '::', '*'];
/** Headers with which proxies and tunnels describe the original client. */
const FORWARDED = /^(?:forwarded|x-forwarded-.*|x-real-ip|via|cf-connecting-ip|true-client-ip)$/;

/**
 * The reason to reject a request to the development server itself: it comes from another machine, or from a page of another
 * site. Undefined if it is allowed. From other machines, also through a tunnel, only the names that the developer has
 * specified are allowed: with `--host`, or in `http.devHosts`, where `*` specifies none.
 */
export function refusalReason({ host, allowed }: Names, raw: IncomingMessage): string | undefined {
  const { headers, socket } = raw;
  const given = [host, ...allowed].filter((name) => !WILDCARDS.includes(name));
  const name = nameOf(headers.host ?? '');
  const { remoteAddress = '', localAddress } = socket;
  const isSameMachine =
    (LOOPBACK.test(remoteAddress) || remoteAddress === localAddress) &&
    !Object.keys(headers).some((header) => FORWARDED.test(header));
  const isNamed = isSameMachine
    ? isUnboundable(name) || among(['localhost', '.localhost', ...given])(name)
    : !among(['localhost', '.localhost'])(name) && among(given)(name);
  if (!isNamed)
    return `This is only available on this machine. To reach it as "${headers.host ?? ''}" from ${remoteAddress}, add that name to http.devHosts in fwk.config`;
  const { origin, 'sec-fetch-site': site = 'none', 'sec-fetch-dest': target } = headers;
  // A link shows the page to the user who follows it, and reveals nothing to the page that contains the link.
  const isLink = raw.method === 'GET' && target === 'document';
  const isOwn = origin === undefined ? isLink || OWN_SITES.has(String(site)) : originIs(origin, headers.host);
  if (isOwn) return undefined;
  const proxy =
    origin === undefined
      ? ''
      : `. If there is a proxy in front, it must pass Host on: Host is "${headers.host ?? ''}", and Origin is "${origin}"`;
  return `This is only available to pages of this server, and the request comes from another site${proxy}`;
}

/** The values of Sec-Fetch-Site for requests of the page itself and of the user (Fetch Metadata §2.3). */
const OWN_SITES: ReadonlySet<string> = new Set(['none', 'same-origin']);

const originIs = (origin: string, host = ''): boolean => /^https?:\/\/(.*)$/.exec(origin)?.[1] === host;

/** The name in a Host header (RFC 9110 §7.2), without port, brackets and trailing dot. */
export function nameOf(host: string): string {
  const name = host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.split(':', 1).join();
  return name.toLowerCase().replace(/\.$/, '');
}
