import type { Random } from './random.js';

type Mutate = (bytes: Buffer, random: Random) => Buffer;

/** More is not sent in one go. */
const MOST = 400_000;

const splice = (bytes: Buffer, at: number, remove: number, add: Buffer | string): Buffer =>
  Buffer.concat([
    bytes.subarray(0, at),
    Buffer.from(add),
    bytes.subarray(Math.min(bytes.length, at + remove)),
  ]);

const at = (bytes: Buffer, random: Random): number => random.between(0, Math.max(0, bytes.length - 1));

/** The beginnings of lines in the head. */
function lineStarts(bytes: Buffer): number[] {
  const head = bytes.subarray(0, 4_000);
  const starts = [0];
  for (let found = head.indexOf('\n'); found !== -1; found = head.indexOf('\n', found + 1))
    starts.push(found + 1);
  return starts;
}

function lineAt(bytes: Buffer, random: Random): { readonly start: number; readonly line: Buffer } {
  const start = random.pick(lineStarts(bytes));
  const end = bytes.indexOf('\n', start);
  return { start, line: bytes.subarray(start, end === -1 ? bytes.length : end + 1) };
}

/** Has a place where digits are; -1 without. */
function digitsAt(bytes: Buffer, random: Random): RegExpMatchArray | undefined {
  const found = [...bytes.subarray(0, 4_000).toString('latin1').matchAll(/\d+/g)];
  return found.length === 0 ? undefined : random.pick(found);
}

/** Pieces that mean something to somebody. */
const WORDS = [
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  '\0',
  ' ',
  '\t',
  ':',
  ': ',
  ',',
  ';',
  '=',
  '%',
  '%00',
  '%2e%2e%2f',
  '../',
  '//',
  '?',
  '#',
  '*',
  '@',
  '\x7f',
  '\xff',
  '\xe2\x80\xa8',
  'é',
  '{',
  '[',
  '"',
  '--',
  'chunked',
  '0\r\n\r\n',
  'ffffffffffffffff',
  '-1',
  'NaN',
  '1e9',
  'HTTP/1.0',
  'HTTP/0.9',
  'HTTP/2.0',
  'Transfer-Encoding: chunked\r\n',
  'Content-Length: 5\r\n',
  'Content-Length: 0\r\n',
  'Connection: close\r\n',
  'Connection: Upgrade\r\nUpgrade: websocket\r\n',
  'Upgrade: h2c\r\n',
  'Expect: 100-continue\r\n',
  'Expect: x\r\n',
  'Host: a b\r\n',
  'Host: x?\r\n',
  'Host:\r\n',
  'Content-Encoding: gzip\r\n',
  'Content-Type: multipart/form-data; boundary=\r\n',
  'Content-Type: constructor\r\n',
  'Content-Type: text/plain; charset=x\r\n',
  'Range: bytes=9-1,0-\r\n',
  'If-None-Match: *\r\n',
  'Cookie: session=; __proto__=1\r\n',
  '__proto__',
  'constructor',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
].map((word) => Buffer.from(word, 'latin1')); // prettier: one table

const HUGE = [
  '0',
  '-1',
  '1',
  '2147483648',
  '4294967296',
  '9007199254740993',
  '99999999999999999999999',
  '0x10',
  '1e3',
  '+5',
  '5,5',
  '05',
  '١',
];

const MUTATIONS: readonly Mutate[] = [
  (bytes, random) => splice(bytes, at(bytes, random), 1, Buffer.from([random.between(0, 255)])),
  (bytes, random) => {
    const flipped = Buffer.from(bytes);
    const place = at(bytes, random);
    flipped[place] = (flipped[place] ?? 0) ^ (1 << random.between(0, 7));
    return flipped;
  },
  (bytes, random) => splice(bytes, at(bytes, random), 0, random.pick(WORDS)),
  (bytes, random) => splice(bytes, random.pick(lineStarts(bytes)), 0, random.pick(WORDS)),
  (bytes, random) => splice(bytes, at(bytes, random), 0, random.bytes(random.between(1, 64))),
  (bytes, random) => splice(bytes, at(bytes, random), random.between(1, 40), ''),
  (bytes, random) => bytes.subarray(0, at(bytes, random)),
  (bytes, random) => {
    const from = at(bytes, random);
    const slice = bytes.subarray(from, from + random.between(1, 2_000));
    return splice(bytes, at(bytes, random), 0, slice);
  },
  (bytes, random) => {
    const found = digitsAt(bytes, random);
    return found ? splice(bytes, found.index ?? 0, found[0].length, random.pick(HUGE)) : bytes;
  },
  (bytes, random) => {
    const { start, line } = lineAt(bytes, random);
    return splice(bytes, start, 0, Buffer.concat(Array.from({ length: random.between(1, 3) }, () => line)));
  },
  (bytes, random) => {
    const { start, line } = lineAt(bytes, random);
    return splice(bytes, start, line.length, '');
  },
  (bytes, random) => {
    const { start, line } = lineAt(bytes, random);
    return splice(
      bytes,
      start + random.between(0, line.length),
      0,
      'A'.repeat(random.pick([100, 5_000, 15_900, 17_000, 70_000])),
    );
  },
  // Obsolete line folding (RFC 9112 §5.2).
  (bytes, random) => splice(bytes, lineAt(bytes, random).start, 0, random.pick([' ', '\t', ' folded\r\n'])),
  // A bare line feed.
  (bytes) => {
    const found = bytes.indexOf('\r\n');
    return found === -1 ? bytes : splice(bytes, found, 2, '\n');
  },
  (bytes, random) => {
    const more = Array.from(
      { length: random.pick([50, 900, 1_100, 2_100]) },
      (_, index) => `x${index}: ${random.between(0, 9)}\r\n`,
    );
    return splice(bytes, lineStarts(bytes)[1] ?? 0, 0, more.join(''));
  },
];

/** Break bytes in one to five places. */
export function mutated(bytes: Buffer, random: Random): Buffer {
  let broken = bytes;
  for (let left = random.chance(60) ? 1 : random.between(2, 5); left > 0; left -= 1)
    broken = random.pick(MUTATIONS)(broken, random).subarray(0, MOST);
  return broken;
}
