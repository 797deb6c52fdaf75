import type { Play } from '../play.js';
import { asked, askedEcho } from '../routes.js';
import { leave } from './broken.js';
import { exchange } from './well-formed.js';

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Responses that are larger than the client reads. */
export async function slowReader(play: Play): Promise<void> {
  const { random } = play;
  const link = await play.open();
  link.pause();
  const path = random.pick([
    '/api/big',
    '/api/pieces',
    '/api/burst',
    '/numbers.txt',
    '/api/news',
    '/api/never',
  ]);
  const request = `GET ${path}?token=${play.token()} HTTP/1.1\r\nHost: x\r\n\r\n`;
  await link.send(Buffer.from(request.repeat(random.pick([1, 1, 3, 20]))));
  for (let left = random.between(0, 5); left > 0; left -= 1) {
    await wait(random.between(1, 40));
    link.resume();
    await wait(1);
    link.pause();
  }
  await leave(play, link);
}

/** Disconnects in the middle of a request. */
export async function destroyed(play: Play): Promise<void> {
  const { random } = play;
  const link = await play.open();
  const { bytes } = asked(play);
  await link.send(
    bytes.subarray(0, random.between(0, bytes.length)),
    random.pick(['whole', 'pieces']),
    random,
  );
  if (random.chance(50)) await wait(random.between(0, 20));
  if (random.chance(50)) link.destroy();
  else link.reset();
}

/** A connection that is silent, or stops in the middle of a request. */
export async function silent(play: Play): Promise<void> {
  const { random } = play;
  const link = await play.open();
  const { bytes } = asked(play);
  await link.send(bytes.subarray(0, random.between(0, 100)));
  await wait(random.between(50, 1_000));
  await leave(play, link);
}

/** A body that waits to be asked for, or does not wait. */
export async function expecting(play: Play): Promise<void> {
  const { random } = play;
  const link = await play.open();
  const { bytes, method, check } = askedEcho(play);
  const end = bytes.indexOf('\r\n\r\n');
  const head = Buffer.concat([bytes.subarray(0, end), Buffer.from('\r\nExpect: 100-continue\r\n\r\n')]);
  const body = bytes.subarray(end + 4);
  if (random.chance(30)) {
    await link.send(head);
    if (random.chance(50)) await wait(random.between(0, 30));
    return leave(play, link);
  }
  // Without one, the answer may come at once.
  if (body.length === 0 || random.chance(30))
    return void (await exchange(play, link, [{ method, check, bytes: Buffer.concat([head, body]) }]));
  await link.send(head);
  const asksFor = await link.until(() => link.answers.interim > 0 || undefined, 15_000);
  if (!asksFor) return play.complain('hang', 'Expect: 100-continue was not answered in 15 s');
  await exchange(play, link, [{ method, check, bytes: body }]);
}
