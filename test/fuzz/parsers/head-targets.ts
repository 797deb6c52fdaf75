import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { parse as parseCookies } from 'cookie';
import type { HttpRequest } from '../../../plugins/http/index.js';
import { formatFor, readableFormatFor } from '../../../plugins/http/request/accept.js';
import { clientAddress, requestUrl } from '../../../plugins/http/request/forwarded.js';
import { parseLists, parseQuery } from '../../../plugins/http/request/query.js';
import { isNotModified } from '../../../plugins/http/response/response-head.js';
import { Router } from '../../../plugins/http/routing/router.js';
import { AllowedHosts } from '../../../plugins/mcp/http/access.js';
import { given, holds, isTable, type Target } from './target.js';

// Parsers of a request's head. Several texts are separated by line ends.

const socket = new Socket();

/** A request as Node would parse it: headers have no line ends and only Latin-1. */
export function requestWith(url: string, headers: Readonly<Record<string, string>>): IncomingMessage {
  const raw = new IncomingMessage(socket);
  raw.method = 'GET';
  raw.url = url;
  raw.headers = { ...headers };
  raw.rawHeaders = Object.entries(headers).flat();
  return raw;
}

const linesOf = (input: Buffer): string[] => input.toString('latin1').split('\n');

const PATHS = ['/', '/a', '/a/:id', '/a/:id/b', '/:x/:y', '/files/*rest', '/a/new', '/:x/literal'];
const router = new Router<string>();
for (const path of PATHS) router.add({ method: 'GET', path }, path);

/** The router's result for a path. If two parsers read different paths, a request can bypass one of them. */
function routed(path: string): string {
  const found = router.find('GET', path);
  if (found === 'malformed') return found;
  for (const value of Object.values(found.params))
    holds(value !== '' && value !== '.' && value !== '..', `a parameter is ${JSON.stringify(value)}`);
  isTable(found.params, 'params');
  return JSON.stringify([found.params, 'value' in found ? found.value : found.values]);
}

const target: Target = {
  name: 'target',
  run(input) {
    const [path = '', host = '', proto, forwardedHost, address = ''] = linesOf(input);
    const headers = {
      host,
      ...(proto ? { 'x-forwarded-proto': proto } : {}),
      ...(forwardedHost ? { 'x-forwarded-host': forwardedHost } : {}),
      'x-forwarded-for': address,
    };
    const raw = requestWith(path, headers);
    for (const trust of [false, true, 1] as const) {
      const client = clientAddress(raw, trust);
      holds(!client.includes(',') && client === client.trim(), `the address ${JSON.stringify(client)}`);
      const url = given(() => requestUrl(raw, path, trust));
      if (url === undefined) continue;
      holds(url.username === '' && url.password === '' && url.hash === '', `the URL ${url.href}`);
      holds(['http:', 'https:'].includes(url.protocol), `the URL ${url.href}`);
      const own = path.split('?', 1)[0] ?? '';
      holds(routed(own) === routed(url.pathname), `${url.pathname} is routed unlike ${own}`);
    }
    routed(path);
  },
};

/** A percent sign that begins no byte is kept by one parser, and dropped by the other where more than one follows. */
const isSound = (search: string): boolean => {
  try {
    decodeURIComponent(search);
    return true;
  } catch {
    return false;
  }
};

const query: Target = {
  name: 'query',
  run(input) {
    const search = input.toString('latin1').replaceAll(/[^ -~]|#/g, '');
    const first = given(() => parseQuery(requestWith(`/?${search}`, {}), 1_000));
    if (first === undefined) return;
    const lists = parseLists(search);
    isTable(first, 'the query');
    isTable(lists, 'the lists');
    holds(JSON.stringify(lists).length <= 12 * search.length + 2, 'more comes out than went in');
    // A question mark at its beginning would be left out.
    const expected = new URLSearchParams(`&${search}`);
    expected.delete('__proto__');
    for (const [key, value] of Object.entries(lists))
      holds(first[key] === [value].flat()[0], `the first value of ${JSON.stringify(key)}`);
    if (!isSound(search)) return;
    const keys = new Set(expected.keys());
    holds(keys.size === Object.keys(lists).length, `the keys of ${JSON.stringify(search)}`);
    for (const key of keys)
      holds(
        JSON.stringify([lists[key]].flat()) === JSON.stringify(expected.getAll(key)),
        `the values of ${JSON.stringify(key)}`,
      );
  },
};

const accept: Target = {
  name: 'accept',
  run(input) {
    const headers = { accept: linesOf(input)[0] ?? '' };
    holds(['html', 'json'].includes(formatFor(headers)), 'the format');
    holds(['html', 'json', 'text'].includes(readableFormatFor(headers)), 'the readable format');
    if (!/text\//i.test(headers.accept)) holds(formatFor(headers) === 'json', 'HTML nobody asked for');
  },
};

const cookies: Target = {
  name: 'cookies',
  run(input) {
    const header = linesOf(input)[0] ?? '';
    const parsed = Object.assign(Object.create(null), parseCookies(header));
    for (const [name, value] of Object.entries(parsed)) {
      holds(typeof value === 'string' && !value.includes(';'), `the value of ${JSON.stringify(name)}`);
      holds(header.includes(`${name}`), 'a name that is not there');
    }
    holds(JSON.stringify(parsed).length <= 8 * header.length + 2, 'more comes out than went in');
  },
};

const hosts = new AllowedHosts(['shop.example'], false);
const NAMES = ['localhost', '127.0.0.1', '[::1]', 'shop.example'];
const rebinding: Target = {
  name: 'hosts',
  run(input) {
    const [host = '', origin] = linesOf(input);
    const headers = origin === undefined ? { host } : { host, origin };
    // Only headers of the request are read.
    const req = { headers, raw: requestWith('/', headers) } as HttpRequest;
    // An invalid port is refused.
    if (hosts.hostMistake(req) === undefined && URL.canParse(`http://${host}`))
      holds(NAMES.includes(new URL(`http://${host}`).hostname), `Host ${JSON.stringify(host)} is let in`);
    if (origin !== undefined && hosts.originOrHostMistake(req) === undefined)
      holds(NAMES.includes(new URL(origin).hostname), `Origin ${JSON.stringify(origin)} is let in`);
  },
};

const conditional: Target = {
  name: 'conditional',
  run(input) {
    const [tags = '', since = '', own = ''] = linesOf(input);
    const raw = requestWith('/', { 'if-none-match': tags, 'if-modified-since': since });
    const is = isNotModified(raw, ['ETag', own]);
    if (tags === '*') holds(is, 'what is there is not matched by *');
    // A client that names no tag has none.
    const name = own.replace(/^W\//, '');
    if (is && tags !== '' && tags.trim() !== '*') holds(tags.includes(name), 'a client has what it has not');
  },
};

export const headTargets: readonly Target[] = [target, query, accept, cookies, rebinding, conditional];
