import { anyFrame, BINARY, CLOSE, frame, framesIn, handshakeHead, message, PING, TEXT } from '../frames.js';
import type { Link } from '../link.js';
import { mutated } from '../mutate.js';
import type { Play } from '../play.js';
import { leave } from './broken.js';

const PATIENCE = 15_000;

async function connected(play: Play, path: string): Promise<Link | undefined> {
  const link = await play.open();
  await link.send(handshakeHead(`${path}?token=${play.token()}`));
  await link.until(() => link.answers.done[0], PATIENCE);
  const status = link.answers.done[0]?.status;
  if (status === 101) return link;
  play.complain(
    status === undefined ? 'hang' : 'wrong answer',
    `the handshake for ${path} was answered with ${status}`,
  );
  return undefined;
}

const sentBy = (link: Link): Buffer[] =>
  framesIn(link.answers.rest)
    .filter(({ opcode }) => opcode === TEXT || opcode === BINARY)
    .map(({ payload }) => payload);

/** Every message comes back, in order. */
export async function echoed(play: Play): Promise<void> {
  const { random } = play;
  const path = random.pick(['/ws/echo', '/ws/slow', `/ws/rooms/${play.token()}`]);
  const link = await connected(play, path);
  if (!link) return;
  const sent = Array.from({ length: random.between(1, 30) }, () =>
    random.chance(80)
      ? Buffer.from(`${play.token()}${random.word(0, 100)}`)
      : random.bytes(random.pick([0, 1, 125, 126, 65_536])),
  );
  const frames = sent.map((payload) => message(payload.includes('tok-') ? TEXT : BINARY, payload, random));
  await link.send(Buffer.concat(frames), random.pick(['whole', 'whole', 'pieces']), random);
  await link.until(() => sentBy(link).length >= sent.length || undefined, PATIENCE);
  const came = sentBy(link);
  if (came.length < sent.length)
    play.complain('hang', `${came.length} of ${sent.length} messages came back from ${path}`);
  else if (came.some((payload, index) => !sent[index]?.equals(payload)))
    play.complain('wrong answer', `another message came back from ${path}`);
  if (random.chance(30)) return leave(play, link);
  await link.send(frame({ opcode: CLOSE, payload: Buffer.from([3, 232]) }));
  if (!(await link.over(PATIENCE))) play.complain('hang', `a WebSocket that was closed stays: ${path}`);
}

/** Frames that break the protocol. */
export async function brokenFrames(play: Play): Promise<void> {
  const { random } = play;
  const link = await connected(play, random.pick(['/ws/echo', '/ws/slow', '/ws/json', '/ws/rooms/all']));
  if (!link) return;
  const frames = Array.from({ length: random.between(1, 12) }, () =>
    random.chance(60)
      ? anyFrame(random)
      : message(TEXT, Buffer.from(random.pick(['{"a":1}', '{', play.bait(), '\xff'])), random),
  );
  const bytes = Buffer.concat(frames);
  await link.send(
    random.chance(40) ? mutated(bytes, random) : bytes,
    random.pick(['whole', 'pieces']),
    random,
  );
  await leave(play, link);
}

/** More than anybody reads. */
export async function flood(play: Play): Promise<void> {
  const { random } = play;
  const path = random.pick(['/ws/echo', '/ws/slow', `/ws/rooms/${play.number}`]);
  const link = await connected(play, path);
  if (!link) return;
  if (random.chance(60)) link.pause();
  const one = random.pick([
    frame({ opcode: PING, payload: random.bytes(125) }),
    frame({ opcode: TEXT, payload: Buffer.alloc(random.pick([1, 1_000, 60_000]), 'x') }),
    frame({ opcode: TEXT, payload: Buffer.from('x'), fin: false }),
  ]);
  // A slow callback continues after the client has left.
  const most = path === '/ws/slow' ? 500 : 5_000;
  const count = Math.min(most, Math.ceil(2_000_000 / one.length));
  await Promise.race([link.send(Buffer.concat(Array.from({ length: count }, () => one))), link.over(500)]);
  await leave(play, link);
}
