import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline, type Readable, Transform } from 'node:stream';
import { type HeaderList, headerOf, type Io } from '../../http/index.js';
import { recordOf } from '../record.js';
import { allowing } from './policy.js';
import { NOTICE, NOTICE_HASH, NOTICE_PATH } from './script.js';

/** Responses that a browser will show as a page, to people who may know what is wrong with the project. */
const shown = new WeakSet<ServerResponse>();

/** Responses that have the script: their policies have to allow it. */
const noticed = new WeakSet<ServerResponse>();

/** Pages that look after themselves: those of errors, and those whose policy is in them, where it cannot be changed. */
const LEFT_ALONE = /new EventSource\('\/\.fwk\/dev\?|http-equiv\s*=\s*["']?content-security-policy/i;

/** Say that `out` answers one who may be told, if it is a page that a browser opens: programs, frames and scripts get what the app has made. */
export function noteShown(out: ServerResponse, isStranger: () => boolean): void {
  if (isNavigation(out.req.headers) && !isStranger()) shown.add(out);
}

/** Browsers say what for they ask, on this machine and over https alone (Fetch Metadata §2.1), or that they would rather have https. */
const isNavigation = (headers: IncomingHttpHeaders): boolean =>
  headers['sec-fetch-dest'] === undefined
    ? headers['upgrade-insecure-requests'] === '1'
    : headers['sec-fetch-dest'] === 'document';

/** Writes as `io` does, with the script at the end of pages that a browser opens. Has to be around all that code bodies. */
export const addingNotice = (io: Io): Io => ({
  ...io,
  write(out, status, headers, type, body, length) {
    if (!takesNotice(out, status, headers, type) || LEFT_ALONE.test(textOf(body)))
      return io.write(out, status, headers, type, body, length);
    noticed.add(out);
    const whole = withNotice(body);
    const record = recordOf(out.req);
    record?.keepMade(body);
    record?.keepGiven('content-length', lengthOf(body), lengthOf(whole));
    return io.write(out, status, headers, type, whole, length);
  },
  encode(out, head, source) {
    if (!takesNotice(out, head.status, head.headers, head.type)) return io.encode?.(out, head, source);
    const record = recordOf(out.req);
    const whole = endingWithNotice(source, (piece) => record?.keepMade(piece));
    const coded = io.encode?.(out, head, whole) ?? whole;
    allowNotice(out, head.headers);
    out.removeHeader('content-length');
    return coded;
  },
});

/** Writes as `io` does, with policies that allow the script. Has to be inside of all that sets policies. */
export const allowingNotice = (io: Io): Io => ({
  ...io,
  write(out, status, headers, ...rest) {
    if (noticed.has(out)) allowNotice(out, headers ?? []);
    return io.write(out, status, headers, ...rest);
  },
  writeEmpty(out, status, headers) {
    // The page that a browser has kept gets the policies of a 304 (RFC 9111 §3.2).
    if (shown.has(out)) allowNotice(out, headers ?? []);
    io.writeEmpty(out, status, headers);
  },
});

function takesNotice(
  out: ServerResponse,
  status: number,
  headers: HeaderList | undefined,
  type: string | undefined,
): boolean {
  if (!shown.has(out) || type === undefined || !isHtml(type)) return false;
  if (status === 206 || out.req.method === 'HEAD') return false;
  const given = (name: string) => headerOf(headers ?? [], name) ?? out.getHeader(name);
  // What is downloaded is kept.
  return (
    given('content-encoding') === undefined && !/^attachment/i.test(String(given('content-disposition')))
  );
}

/** In an encoding that has the letters of ASCII as they are. */
const isHtml = (type: string): boolean =>
  /^text\/html\s*(?:;|$)/i.test(type) && !/charset="?utf-(?:16|32)/i.test(type);

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

const textOf = (body: string | Uint8Array): string =>
  typeof body === 'string' ? body : bytesOf(body).toString('latin1');

const lengthOf = (body: string | Uint8Array): string => String(Buffer.byteLength(body));

const withNotice = (body: string | Uint8Array): string | Uint8Array =>
  typeof body === 'string' ? body + NOTICE : Buffer.concat([body, Buffer.from(NOTICE)]);

/** `keep` gets the pieces of the source. */
function endingWithNotice(source: Readable, keep: (piece: string | Uint8Array) => void): Readable {
  const end = new Transform({
    // What the source may yield is checked by who writes it.
    objectMode: true,
    highWaterMark: 1,
    transform: (piece, _encoding, done) => {
      if (typeof piece === 'string' || piece instanceof Uint8Array) keep(piece);
      done(null, piece);
    },
    flush: (done) => done(null, NOTICE),
  });
  // Who reads it gets the error of the source, which ends with it.
  return pipeline(source, end, () => {});
}

function allowNotice(out: ServerResponse, headers: HeaderList): void {
  const { host = '' } = out.req.headers;
  // A policy cannot name an address of IPv6.
  const address = /^[\w.-]+(?::\d+)?$/.test(host) ? `${host}${NOTICE_PATH}` : undefined;
  const allowed = (name: string, given: string): string => {
    const sent = allowing(given, NOTICE_HASH, address);
    recordOf(out.req)?.keepGiven(name, given, sent);
    return sent;
  };
  for (const [at, name] of headers.entries())
    if (at % 2 === 0 && isPolicy(name)) headers[at + 1] = allowed(name, headers[at + 1] ?? '');
  for (const name of out.getHeaderNames().filter(isPolicy))
    out.setHeader(
      name,
      [out.getHeader(name) ?? []].flat().map((value) => allowed(name, String(value))),
    );
}

const isPolicy = (name: string): boolean => /^content-security-policy(?:-report-only)?$/i.test(name);
