import type { Link, Pace } from '../link.js';
import type { Play } from '../play.js';
import type { Asked } from '../request.js';
import { asked } from '../routes.js';

/** Milliseconds within which a well-formed request is answered, under any load. */
const PATIENCE = 15_000;

/** Sends pipelined requests and checks that each has its own response, in order. */
export async function exchange(
  play: Play,
  link: Link,
  requests: readonly Asked[],
  pace: Pace = 'whole',
): Promise<boolean> {
  const { answers } = link;
  const from = answers.done.length;
  for (const { method } of requests) link.methods.push(method);
  await link.send(Buffer.concat(requests.map(({ bytes }) => bytes)), pace, play.random);
  await link.until(
    () => answers.broken !== undefined || answers.done.length >= from + requests.length || undefined,
    PATIENCE,
  );
  if (answers.broken !== undefined) play.complain('broken answer', answers.broken);
  for (const [index, { method, bytes, check }] of requests.entries()) {
    const answer = answers.done[from + index];
    const line = `${method} ${bytes.toString('latin1', 0, 80).split(/[ ?]/)[1]}`;
    if (answer) {
      const wrong = check(answer);
      if (wrong !== undefined) play.complain('wrong answer', `${line}: ${wrong}`);
      // An early refusal may be followed by the end of the connection.
      if (answer.headers.get('connection') === 'close') return false;
    } else {
      const how = link.isOver
        ? 'the connection ended without an answer'
        : `no answer in ${PATIENCE / 1000} s`;
      play.complain(
        link.isOver ? 'no answer' : 'hang',
        `${line} (${index + 1} of ${requests.length}): ${how}`,
      );
      return false;
    }
  }
  return answers.broken === undefined;
}

/** One request after the other on a connection that is kept. */
export async function oneByOne(play: Play): Promise<void> {
  const link = await play.open();
  for (let left = play.random.between(1, 6); left > 0; left -= 1)
    if (!(await exchange(play, link, [asked(play)]))) return;
}

/** Several at once. */
export async function pipeline(play: Play): Promise<void> {
  const link = await play.open();
  const requests = Array.from({ length: play.random.between(2, 8) }, () => asked(play));
  await exchange(play, link, requests, play.random.chance(70) ? 'whole' : 'pieces');
}

/** A request that arrives byte by byte. */
export async function byteByByte(play: Play): Promise<void> {
  const link = await play.open();
  const request = asked(play);
  if (request.bytes.length > 20_000) return void (await exchange(play, link, [request], 'pieces'));
  await exchange(play, link, [request], play.random.chance(50) ? 'bytes' : 'pieces');
}

/** A client that half-closes at once is disconnected; Node answers only if that takes no time. */
export async function halfClosed(play: Play): Promise<void> {
  const link = await play.open();
  const request = asked(play);
  link.methods.push(request.method);
  await link.send(request.bytes);
  link.end();
  if (!(await link.over(PATIENCE)))
    return play.complain(
      'hang',
      `a connection that the client has ended stays: ${request.bytes.toString('latin1', 0, 80)}`,
    );
  const [answer] = link.answers.done;
  const wrong = answer && request.check(answer);
  if (wrong !== undefined) play.complain('wrong answer', `half closed: ${wrong}`);
}
