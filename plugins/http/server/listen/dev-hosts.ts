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
  /** Advice for people who want another name to be answered: a sentence without its full stop. */
  readonly advice: string;
}

/**
 * Answer only what names this machine: localhost and names below it, any address, any name without a dot, the name that is
 * listened on, and those in `allowed` (`.shop.test` stands for all names below `shop.test`, `*` for all there are). A page of
 * another site can have its own name resolve to this machine and then read what is answered as its own (DNS rebinding); an
 * address cannot be rebound, and a name without a dot, as containers have beside each other, belongs to nobody on the internet.
 */
export function requireKnownHost({ host, allowed, advice }: AdvisedNames): Around {
  if (allowed.includes('*')) return (raw, out, next) => next(raw, out);
  const isNamed = among(['localhost', '.localhost', host, ...allowed]);
  const isAllowed = (name: string): boolean => isUnboundable(name) || isNamed(name);
  return (raw, out, next) => {
    const { host: given } = raw.headers;
    // Every browser sends it, and Node requires it of HTTP/1.1 clients.
    if (given === undefined || isAllowed(nameOf(given))) return next(raw, out);
    const message = `Host "${given}" is not one of the names of this development server. ${advice}`;
    sendProblem(new HttpProblem(403, message, undefined, {}, 'FWK211'), raw, new HttpResponse(out));
  };
}

/** No page of another site can be there: an address, or a name without a dot. */
const isUnboundable = (name: string): boolean => isIP(name) !== 0 || !name.includes('.');

/** Whether a name is one of these, or below one that begins with a dot. */
function among(given: readonly string[]): (name: string) => boolean {
  const names = new Set(given.map((name) => name.toLowerCase()));
  const suffixes = [...names].filter((name) => name.startsWith('.'));
  return (name) => names.has(name) || suffixes.some((suffix) => name.endsWith(suffix));
}

/** Addresses that every machine has for itself (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3). */
const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/;
/** To listen on all addresses names none. */
const WILDCARDS: readonly string[] = ['0.0.0.0', '::', '*'];
/** What proxies and tunnels say of the client that they ask for. */
const FORWARDED = /^(?:forwarded|x-forwarded-.*|x-real-ip|via|cf-connecting-ip|true-client-ip)$/;

/**
 * Why a request is not for the development server itself: it does not come from this machine, or is sent by a page of another
 * site; undefined where nothing is wrong. From elsewhere, also by way of a tunnel, only names that the developer has given are
 * answered: with `--host`, or in `http.devHosts`, where `*` gives none.
 */
export function strangerTo({ host, allowed }: Names, raw: IncomingMessage): string | undefined {
  const { headers, socket } = raw;
  const given = [host, ...allowed].filter((name) => !WILDCARDS.includes(name));
  const name = nameOf(headers.host ?? '');
  const { remoteAddress = '', localAddress } = socket;
  const isNear =
    (LOOPBACK.test(remoteAddress) || remoteAddress === localAddress) &&
    !Object.keys(headers).some((header) => FORWARDED.test(header));
  const isNamed = isNear
    ? isUnboundable(name) || among(['localhost', '.localhost', ...given])(name)
    : !among(['localhost', '.localhost'])(name) && among(given)(name);
  if (!isNamed)
    return `This is for pages of this machine. To reach it as "${headers.host ?? ''}" from ${remoteAddress}, add that name to http.devHosts in fwk.config`;
  const { origin, 'sec-fetch-site': site = 'none', 'sec-fetch-dest': target } = headers;
  // A link that somebody follows shows them the page, and tells the page that has the link nothing.
  const isLink = raw.method === 'GET' && target === 'document';
  const isOwn = origin === undefined ? isLink || OWN_SITES.has(String(site)) : originIs(origin, headers.host);
  if (isOwn) return undefined;
  const proxy =
    origin === undefined
      ? ''
      : `. A proxy in front has to pass Host on: it says "${headers.host ?? ''}", and Origin "${origin}"`;
  return `This is for pages of this server alone, and another site has asked for it${proxy}`;
}

/** What browsers say of requests of a page's own, and of people's (Fetch Metadata §2.3). */
const OWN_SITES: ReadonlySet<string> = new Set(['none', 'same-origin']);

const originIs = (origin: string, host = ''): boolean => /^https?:\/\/(.*)$/.exec(origin)?.[1] === host;

/** The name in a Host header (RFC 9110 §7.2), without port, brackets and the full stop of the root. */
function nameOf(host: string): string {
  const name = host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.split(':', 1).join();
  return name.toLowerCase().replace(/\.$/, '');
}
