import type { Answer } from './answers.js';
import type { Random } from './random.js';

/** A well-formed request as bytes, and the check of its response. */
export interface Asked {
  readonly method: string;
  readonly bytes: Buffer;
  readonly check: (answer: Answer) => string | undefined;
}

/** A request before it is serialized. */
export interface Meant {
  readonly method: string;
  readonly target: string;
  readonly headers?: readonly string[];
  readonly body?: Buffer;
  readonly check: Asked['check'];
}

/** Write a request in one of the ways that mean the same. */
export function written({ method, target, headers = [], body, check }: Meant, random: Random): Asked {
  const lines = [`Host: ${random.pick(HOSTS)}`, ...headers];
  for (let left = random.between(0, 4); left > 0; left -= 1)
    lines.push(`X-${random.word()}: ${random.word(0, 60)}`);
  if (random.chance(20)) lines.push(`Accept: ${random.pick(ACCEPTS)}`);
  if (random.chance(20)) lines.push('Cookie: a=1; session=nonsense; b="2"');
  const isChunked = body !== undefined && random.chance(40);
  if (isChunked) lines.push('Transfer-Encoding: chunked');
  else if (body !== undefined) lines.push(`Content-Length: ${body.length}`);
  const head = [`${method} ${target} HTTP/1.1`, ...lines.map((line) => respelt(line, random)), '', ''];
  const sent = body === undefined ? Buffer.alloc(0) : isChunked ? inChunks(body, random) : body;
  return { method, check, bytes: Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), sent]) };
}

const HOSTS = ['127.0.0.1', 'localhost', 'localhost:3000', '[::1]:80'];
const ACCEPTS = ['*/*', 'application/json', 'text/html,application/xhtml+xml;q=0.9', 'text/event-stream'];

/** Names in any case, and white space around the value (RFC 9112 §5). A tab behind a number is more than Node's parser takes. */
function respelt(line: string, random: Random): string {
  if (random.chance(70)) return line;
  const colon = line.indexOf(':');
  const name = random.chance(50) ? line.slice(0, colon).toLowerCase() : line.slice(0, colon).toUpperCase();
  return `${name}:${random.pick(['', ' ', '\t', '   '])}${line.slice(colon + 1).trim()}${random.pick(['', ' ', '  '])}`;
}

/** With extensions and trailers, as RFC 9112 §7.1 has them. */
export function inChunks(body: Buffer, random: Random): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const size = random.between(1, Math.max(1, random.chance(10) ? 1 : Math.ceil(body.length / 3)));
    const piece = body.subarray(at, at + size);
    const extension = random.chance(10) ? `;${random.word()}=${random.word()}` : '';
    pieces.push(Buffer.from(`${piece.length.toString(16)}${extension}\r\n`), piece, Buffer.from('\r\n'));
    at += size;
  }
  const trailer = random.chance(10) ? `X-Sum: ${random.word()}\r\n` : '';
  return Buffer.concat([...pieces, Buffer.from(`0\r\n${trailer}\r\n`)]);
}
