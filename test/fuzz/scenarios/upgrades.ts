import { frame, framesIn, handshakeHead, TEXT } from '../frames.js';
import type { Play } from '../play.js';
import { asked, askedEcho } from '../routes.js';
import { leave } from './broken.js';
import { exchange } from './well-formed.js';

const offer = (to: string): Buffer =>
  Buffer.from(
    `Connection: Upgrade, HTTP2-Settings\r\nUpgrade: ${to}\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n`,
  );

/** An unsupported upgrade is an ordinary request, with its body and any further requests. */
export async function offered(play: Play): Promise<void> {
  const { random } = play;
  const link = await play.open();
  // Who sends more than that behind an offer is cut off.
  const requests = Array.from({ length: random.between(1, 5) }, () =>
    random.chance(50) ? askedEcho(play) : asked(play),
  ).filter(({ bytes }) => bytes.length < 12_000);
  const offering = requests.map((request, index) => {
    if (index > 0 && random.chance(50)) return request;
    const head = request.bytes.indexOf('\r\n') + 2;
    const more = offer(random.pick(['h2c', 'TLS/1.2', 'x']));
    return {
      ...request,
      bytes: Buffer.concat([request.bytes.subarray(0, head), more, request.bytes.subarray(head)]),
    };
  });
  if (random.chance(60))
    return void (await exchange(play, link, offering, random.pick(['whole', 'pieces', 'bytes'])));
  // A request waits, and its client is gone.
  const before = Buffer.from(`GET /api/never?token=${play.token()} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await link.send(
    Buffer.concat([before, ...offering.map(({ bytes }) => bytes)]),
    random.pick(['whole', 'pieces']),
    random,
  );
  await leave(play, link);
}

/** Bytes after a handshake belong to the new protocol and are never a request. */
export async function handshakeAndMore(play: Play): Promise<void> {
  const { random } = play;
  const link = await play.open();
  const bait = play.bait();
  const path = random.pick([
    '/ws/echo',
    '/ws/slow',
    '/ws/nowhere',
    '/ws/guarded/echo',
    '/api/echo',
    '/ws/rooms/a%2Fb',
  ]);
  const before = random.chance(30) ? asked(play).bytes.toString('latin1') : '';
  const body = random.chance(30) ? [`Content-Length: ${bait.length}`] : [];
  const odd = random.chance(20)
    ? [
        random.pick([
          'Sec-WebSocket-Extensions: permessage-deflate; x',
          'Origin: https://evil.example',
          'Sec-WebSocket-Protocol: a, b',
          'Sec-WebSocket-Key: short',
        ]),
      ]
    : [];
  const behind = random.pick([
    bait,
    frame({ opcode: TEXT, payload: Buffer.from(bait) }).toString('latin1'),
    `\r\n\r\n${bait}`,
    '',
  ]);
  await link.send(
    Buffer.from(before + handshakeHead(path, [...body, ...odd]).toString('latin1') + behind, 'latin1'),
    random.pick(['whole', 'pieces']),
    random,
  );
  await link.until(
    () => (link.answers.isUpgraded && framesIn(link.answers.rest).length > 0) || undefined,
    100,
  );
  await leave(play, link);
}
