import type { Link } from '../link.js';
import { mutated } from '../mutate.js';
import type { Play } from '../play.js';
import { inChunks } from '../request.js';
import { asked } from '../routes.js';

/** Leave in one of the ways in which clients leave. */
export async function leave({ random }: Play, link: Link): Promise<void> {
  if (random.chance(15)) return link.destroy();
  if (random.chance(15)) return link.reset();
  if (random.chance(75)) link.end();
  await link.over(random.pick([20, 100, 300]));
}

/** Requests that were well-formed. */
export async function brokenBytes(play: Play): Promise<void> {
  const link = await play.open();
  const requests = Array.from({ length: play.random.pick([1, 1, 1, 2, 4]) }, () => asked(play).bytes);
  // The rest of a body may be a valid request.
  const bytes = Buffer.from(
    Buffer.concat(requests).toString('latin1').replaceAll('/api/smuggled', '/api/nosmugg'),
    'latin1',
  );
  await link.send(mutated(bytes, play.random), play.random.pick(['whole', 'whole', 'pieces']), play.random);
  await leave(play, link);
}

/** Framing that must be refused or have one meaning (RFC 9112 §6.3, CWE-444): the hidden request is never answered. */
export async function framing(play: Play): Promise<void> {
  const { random } = play;
  const link = await play.open();
  const bait = play.bait();
  const chunks = inChunks(Buffer.from(`x${bait}`), random).toString('latin1');
  const [lines, body] = random.pick<readonly [readonly string[], string]>([
    [['Content-Length: 5', `Content-Length: ${bait.length}`], bait],
    [[`Content-Length: 5, ${bait.length}`], bait],
    [['Content-Length: 5', 'Transfer-Encoding: chunked'], chunks],
    [['Transfer-Encoding: chunked', 'Content-Length: 5'], chunks],
    [['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], `0\r\n\r\n${bait}`],
    [['Transfer-Encoding: identity', `Content-Length: 0`], bait],
    [['Transfer-Encoding: chunked, identity'], `0\r\n\r\n${bait}`],
    [['Transfer-Encoding: xchunked'], `0\r\n\r\n${bait}`],
    [['Transfer-Encoding : chunked'], `0\r\n\r\n${bait}`],
    [['Transfer-Encoding:\x0bchunked'], `0\r\n\r\n${bait}`],
    [['Content-Length: +0'], bait],
    [['Content-Length: 0x0'], bait],
    [['Content-Length: -1'], bait],
    [['Content-Length : 0'], bait],
    [['Content-Length:'], bait],
    [[' Content-Length: 0'], bait],
    [['X: y\r Content-Length: 0'], bait],
    [['Transfer-Encoding: chunked'], `-1\r\n\r\n${bait}`],
    [['Transfer-Encoding: chunked'], `fffffffffffffffff\r\n${bait}`],
    [['Transfer-Encoding: chunked'], `0x0\r\n\r\n${bait}`],
    [['Transfer-Encoding: chunked'], `1;a=\n\r\nx\r\n${bait}`],
    [['Transfer-Encoding: chunked'], `5\r\nabcde${bait}`],
  ]);
  const head = [`POST /api/echo?token=${play.token()} HTTP/1.1`, 'Host: x', ...lines, '', ''].join('\r\n');
  await link.send(Buffer.from(head + body, 'latin1'), random.pick(['whole', 'pieces']), random);
  await leave(play, link);
}

/** Heads that are larger than Node keeps, with a body behind them. */
export async function manyLines(play: Play): Promise<void> {
  const { random } = play;
  const link = await play.open();
  const bait = play.bait();
  const count = random.pick([500, 990, 998, 1_000, 1_001, 1_010, 2_000]);
  const filling = Array.from({ length: count }, (_, index) => `${String.fromCharCode(97 + (index % 26))}:`);
  const upgrade = random.chance(40)
    ? ['Connection: Upgrade', `Upgrade: ${random.pick(['h2c', 'websocket', 'x'])}`]
    : [];
  const isChunked = random.chance(40);
  const told = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${bait.length}`;
  const lines = random.chance(70)
    ? ['Host: x', ...upgrade, ...filling, told]
    : [told, ...upgrade, ...filling, 'Host: x'];
  const head = [`POST /api/echo?token=${play.token()} HTTP/1.1`, ...lines, '', ''].join('\r\n');
  const body = isChunked ? `${bait.length.toString(16)}\r\n${bait}\r\n0\r\n\r\n` : bait;
  link.methods.push('POST');
  await link.send(Buffer.from(head + body, 'latin1'));
  await link.until(() => link.answers.done[0], 2_000);
  await leave(play, link);
}

const TARGETS = [
  '*',
  '/',
  '//',
  '/./',
  '/api/../api/echo',
  '/%',
  '/%zz',
  '/%00',
  '/..%2f..%2fetc/passwd',
  '/notes.txt/',
  '/notes.txt%00',
  'http://x/page',
  'http:///page',
  'x:1',
  '/?',
  '?',
  '#',
  '/\\',
  '/api/items/%E0%A4%A',
  '/api/items/__proto__',
  '/constructor',
  '/.env',
  '/mcp/',
  '/ws/echo',
  '/api/files/a/../b',
];
const HOSTS = [
  '',
  'x?',
  'x#',
  'x/y',
  'a b',
  'x@y',
  'x:',
  'x:99999',
  'x:port',
  '[::1',
  '[::1]:x',
  '%00',
  '\xff',
  '..',
  '-',
  'x,y',
  'http://x',
  '*',
  'x\ty',
  `${'x'.repeat(300)}`,
];
const METHODS = [
  'GET',
  'POST',
  'OPTIONS',
  'HEAD',
  'PATCH',
  'CONNECT',
  'TRACE',
  'PRI',
  'M-SEARCH',
  'QUERY',
  'get',
  'G ET',
];

/** Targets and hosts that only attackers send. */
export async function weirdTargets(play: Play): Promise<void> {
  const { random } = play;
  const link = await play.open();
  const [target, host, method] = [random.pick(TARGETS), random.pick(HOSTS), random.pick(METHODS)];
  const forwarded = random.chance(30)
    ? `X-Forwarded-Host: ${random.pick(HOSTS)}\r\nX-Forwarded-Proto: ${random.pick(['http', 'x', 'javascript'])}\r\n`
    : '';
  const version = random.pick(['1.1', '1.1', '1.1', '1.0', '0.9', '2.0']);
  const query = random.chance(50) ? `?token=${play.token()}` : '';
  const hosts = random.chance(90) ? `Host: ${host}\r\n` : random.pick(['', 'Host: a\r\nHost: b\r\n']);
  await link.send(
    Buffer.from(`${method} ${target}${query} HTTP/${version}\r\n${hosts}${forwarded}\r\n`, 'latin1'),
  );
  await leave(play, link);
}
