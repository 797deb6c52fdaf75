import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Random } from './random.js';

/** A body, and the response of the echo route. */
export interface Payload {
  readonly headers: readonly string[];
  readonly bytes: Buffer;
  readonly described: unknown;
}

type Make = (random: Random, bait: string) => Payload;

const typed = (type: string, bytes: Buffer | string, described: unknown): Payload => ({
  headers: [`Content-Type: ${type}`],
  bytes: Buffer.from(bytes),
  described,
});

const json: Make = (random, bait) => {
  const value = anyValue(random, bait, 3);
  return typed(
    random.pick(['application/json', 'application/json; charset=utf-8', 'application/x+json']),
    JSON.stringify(value),
    value,
  );
};

function anyValue(random: Random, bait: string, depth: number): unknown {
  const inner = () => anyValue(random, bait, depth - 1);
  const some = random.between(0, depth === 0 ? 5 : 7);
  if (some === 0) return random.between(-1_000_000, 1_000_000);
  if (some === 1) return random.chance(50);
  if (some === 2) return null;
  if (some < 5) return random.word(0, 30);
  if (some === 5) return bait;
  if (some === 6) return Array.from({ length: random.between(0, 4) }, inner);
  return Object.fromEntries(Array.from({ length: random.between(0, 4) }, () => [random.word(), inner()]));
}

const urlencoded: Make = (random, bait) => {
  const value = Object.fromEntries(
    Array.from({ length: random.between(1, 5) }, () => [
      random.word(),
      random.chance(20) ? bait : random.word(0, 20),
    ]),
  );
  return typed('application/x-www-form-urlencoded', new URLSearchParams(value).toString(), value);
};

const text: Make = (random, bait) => {
  const value = `${random.word(0, 50)}${random.chance(30) ? `\r\n\r\n${bait}` : ''}${random.chance(20) ? 'é😀' : ''}`;
  return typed('text/plain; charset=utf-8', value, value === '' ? null : value);
};

const binary: Make = (random, bait) => {
  const bytes = Buffer.concat([random.bytes(random.between(1, 2_000)), Buffer.from(bait)]);
  return typed('application/octet-stream', bytes, { bytes: bytes.length });
};

const large: Make = (random, bait) => {
  const bytes = Buffer.alloc(random.between(50_000, 900_000), bait);
  return typed('application/octet-stream', bytes, { bytes: bytes.length });
};

/** Fields have other names than files, and each comes once. */
const multipart: Make = (random, bait) => {
  const boundary = `b${random.word(8, 20)}`;
  const pieces: Buffer[] = [];
  const described: Record<string, unknown> = {};
  const part = (head: string, content: Buffer | string) =>
    pieces.push(Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), Buffer.from(content), Buffer.from('\r\n'));
  for (let left = random.between(0, 3); left > 0; left -= 1) {
    const [name, value] = [`f${left}${random.word()}`, random.chance(30) ? bait : random.word(0, 40)];
    part(`Content-Disposition: form-data; name="${name}"`, value);
    described[name] = value;
  }
  for (let left = random.between(pieces.length === 0 ? 1 : 0, 2); left > 0; left -= 1) {
    const [name, file] = [`u${left}${random.word()}`, `${random.word()}.bin`];
    const content = random.bytes(random.between(0, 3_000));
    part(
      `Content-Disposition: form-data; name="${name}"; filename="${file}"\r\nContent-Type: image/png`,
      content,
    );
    described[name] = { file, bytes: content.length };
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  return typed(`multipart/form-data; boundary=${boundary}`, Buffer.concat(pieces), described);
};

const CODINGS = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };

const compressed: Make = (random, bait) => {
  const plain = random.pick([json, urlencoded, text, multipart, binary])(random, bait);
  const [name, encode] = random.pick(Object.entries(CODINGS));
  return { ...plain, headers: [...plain.headers, `Content-Encoding: ${name}`], bytes: encode(plain.bytes) };
};

const MAKES = [json, json, urlencoded, text, binary, multipart, multipart, compressed, compressed];

/** A body of some type; `bait` is in many of them, and must not be taken for a request. */
export const payload: Make = (random, bait) => (random.chance(2) ? large : random.pick(MAKES))(random, bait);
