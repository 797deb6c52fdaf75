import type { ServerResponse } from 'node:http';
import type { BodyHead, HttpIo } from '../http/index.js';
import { chooseCoding, type HeaderList, headerOf, isStable, removeHeader } from '../http/internal.js';
import { type Coding, type CodingName, codingsOf, encoded, sendEncoded } from './encoders.js';

export interface CompressionSettings {
  /** Minimum size of a compressed body, in bytes, if its length is known. */
  readonly threshold: number;
  readonly codings: readonly CodingName[];
  readonly events: boolean;
}

/** Smaller bodies, in bytes, are compressed synchronously: passing them to a thread takes longer. */
const MAX_SYNC_BYTES = 8 * 1024;
/** In bytes. Larger bodies are compressed in pieces, as fast as the client reads. */
const MAX_WHOLE_BYTES = 1024 * 1024;

export function withCompression(
  io: HttpIo,
  { threshold, codings: names, events }: CompressionSettings,
): HttpIo {
  const codings = new Map(codingsOf(names).map((coding) => [coding.name, coding]));
  const choose = chooser([...codings.keys()]);

  /** The coding of a compressible body, whose Vary header is set; undefined if it is sent unchanged. */
  function codingOf(out: ServerResponse, head: BodyHead): Coding | undefined {
    const { status, headers, length } = head;
    if (!isSuitable(out, head, events)) return undefined;
    varyByEncoding(out, headers);
    // A range counts the bytes of the uncompressed body (RFC 9110 §14.2).
    if (status === 206 || headerValue(out, headers, 'content-range') !== undefined) return undefined;
    const { name, isRequired } = choose(acceptOf(out));
    if (length !== undefined && length < threshold && !(isRequired && length > 0)) return undefined;
    return name && codings.get(name);
  }

  return {
    ...io,
    write(out, status, given, type, body, announced) {
      const isHead = out.req.method === 'HEAD';
      const size = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
      const length = isHead ? (announced ?? size) : size;
      const headers = given ?? [];
      const coding = codingOf(out, { status, headers, type, length });
      if (!coding) return io.write(out, status, headers, type, body, announced);
      // Its length is only known after compressing it (RFC 9110 §9.3.2).
      if (isHead) {
        setCoding(out, headers, coding.name);
        if (type !== undefined) headers.push('Content-Type', type);
        return void out.writeHead(status, headers).end();
      }
      const asItIs = () => io.write(out, status, headers, type, body, announced);
      const send = (coded: Uint8Array): Promise<void> | undefined => {
        if (coded.length >= size && !choose(acceptOf(out)).isRequired) return asItIs();
        setCoding(out, headers, coding.name);
        return io.write(out, status, headers, type, coded, undefined);
      };
      const isKept = typeof body !== 'string' && isStable(body);
      const known = isKept ? bodies.get(body)?.get(coding.name) : undefined;
      if (known instanceof Uint8Array) return send(known);
      if (size <= MAX_SYNC_BYTES && !isKept) return send(coding.sync(body));
      if (size > MAX_WHOLE_BYTES) {
        setCoding(out, headers, coding.name);
        if (type !== undefined) headers.push('Content-Type', type);
        out.writeHead(status, headers);
        return sendEncoded(out, coding.stream(), body);
      }
      const running = known ?? (isKept ? keep(body, coding) : compressed(coding, body));
      return running.then((coded) => {
        // Its client may have disconnected in the meantime.
        if (!out.destroyed) return coded ? send(coded) : asItIs();
      });
    },

    encode(out, head, source) {
      const coding = codingOf(out, head);
      if (!coding) return undefined;
      setCoding(out, head.headers, coding.name);
      // A body that is not sent is not read.
      if (out.req.method === 'HEAD') return source;
      return encoded(source, coding.stream(), head.type !== undefined && isEventStream(head.type));
    },

    describe(out, head) {
      if (codingOf(out, head)) weaken(head.headers);
    },
  };
}

/** The compressed forms of a body by coding, or promises of them. */
type Forms = Map<CodingName, Uint8Array | Promise<Uint8Array | undefined>>;

/** The forms of stable bytes, which live as long as the bytes. */
const bodies = new WeakMap<Uint8Array, Forms>();

/** Compress a stable body once, for concurrent and later responses. */
function keep(body: Uint8Array, coding: Coding): Promise<Uint8Array | undefined> {
  const forms: Forms = bodies.get(body) ?? new Map();
  const running = compressed(coding, body).then((coded) => {
    if (coded) forms.set(coding.name, coded);
    else forms.delete(coding.name);
    return coded;
  });
  bodies.set(body, forms.set(coding.name, running));
  return running;
}

/** Undefined if there was not enough memory: the body can be sent uncompressed. */
const compressed = (coding: Coding, body: string | Uint8Array): Promise<Buffer | undefined> =>
  new Promise((resolve) => coding.whole(body, (failure, coded) => resolve(failure ? undefined : coded)));

const acceptOf = ({ req }: ServerResponse): string | undefined => {
  const accept = req.headers['accept-encoding'];
  return typeof accept === 'string' ? accept : undefined;
};

/** Clients of one kind send the same header, so the previous request nearly always had it too. */
function chooser(names: readonly CodingName[]) {
  let last: string | undefined;
  let chosen = chooseCoding(undefined, names);
  return (header: string | undefined): typeof chosen => {
    if (header !== last) {
      chosen = chooseCoding(header, names);
      last = header;
    }
    return chosen;
  };
}

/** Whether a body could be compressed, regardless of the codings that its client accepts. */
function isSuitable(out: ServerResponse, { headers, type }: BodyHead, events: boolean): boolean {
  if (type === undefined || !isCompressible(type) || (!events && isEventStream(type))) return false;
  if (headerValue(out, headers, 'content-encoding') !== undefined) return false;
  // RFC 9111 §5.2.2.6
  return !/\bno-transform\b/i.test(headerValue(out, headers, 'cache-control') ?? '');
}

/** The effective value of a header: code around this one may have set it on Node's own response. */
function headerValue(out: ServerResponse, headers: HeaderList, lower: string): string | undefined {
  const own = headerOf(headers, lower);
  if (own !== undefined) return own;
  const set = out.getHeader(lower);
  return set === undefined ? undefined : String(set);
}

/** Caches keep one response per coding that clients accept (RFC 9110 §12.5.5). */
function varyByEncoding(out: ServerResponse, headers: HeaderList): void {
  const own = headers.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === 'vary');
  const set = out.getHeader('vary');
  const all = headers.filter((_, at) => at % 2 === 1 && headers[at - 1]?.toLowerCase() === 'vary');
  const names = [...all, String(set ?? '')].join(',').toLowerCase().split(',');
  const has = (name: string) => names.some((one) => one.trim() === name);
  if (has('*') || has('accept-encoding')) return;
  // Not a second header: `writeHead` with a list would drop the header that was set on Node's response.
  if (own !== -1) headers[own + 1] = `${headers[own + 1]}, Accept-Encoding`;
  // `writeHead` would replace the existing header.
  else headers.push('Vary', set === undefined ? 'Accept-Encoding' : `${String(set)}, Accept-Encoding`);
}

function setCoding(out: ServerResponse, headers: HeaderList, name: CodingName): void {
  headers.push('Content-Encoding', name);
  // A range would count bytes of the uncompressed body.
  removeHeader(headers, 'accept-ranges');
  removeHeader(headers, 'content-length');
  if (out.hasHeader('content-length')) out.removeHeader('content-length');
  weaken(headers);
}

/** A strong validator stands for the uncompressed bytes (RFC 9110 §8.8.1). */
function weaken(headers: HeaderList): void {
  const etag = headerOf(headers, 'etag');
  if (etag === undefined || etag.startsWith('W/')) return;
  removeHeader(headers, 'etag');
  headers.push('ETag', `W/${etag}`);
}

/** Compressible subtypes of `application/`. */
const APPLICATION =
  /^(?:json|javascript|ecmascript|x-javascript|xml|wasm|x-ndjson|jsonl|yaml|toml|sql|graphql|rtf|x-sh|vnd\.ms-fontobject)$/;
const OTHERS = new Set([
  'font/ttf',
  'font/otf',
  'font/collection',
  'font/sfnt',
  'image/svg+xml',
  'image/bmp',
  'image/x-icon',
  'image/vnd.microsoft.icon',
]);
/** Structured syntaxes that are text (RFC 6839). */
const SUFFIXES = ['+json', '+xml', '+yaml', '+text'];

const EVENTS = 'text/event-stream';

/** Whether a media type is compressible. Images, audio, archives and woff2 are compressed already. */
function isCompressible(type: string): boolean {
  if (type === 'application/json') return true;
  const end = type.indexOf(';');
  const plain = (end === -1 ? type : type.slice(0, end)).trim().toLowerCase();
  return (
    plain.startsWith('text/') ||
    (plain.startsWith('application/') && APPLICATION.test(plain.slice('application/'.length))) ||
    OTHERS.has(plain) ||
    SUFFIXES.some((suffix) => plain.endsWith(suffix))
  );
}

const isEventStream = (type: string): boolean => type.toLowerCase().startsWith(EVENTS);
