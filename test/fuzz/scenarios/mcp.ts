import type { Link } from '../link.js';
import { mutated } from '../mutate.js';
import type { Play } from '../play.js';
import { anyRequest, begin, type Message, note, posted, rpc, stateless } from '../rpc.js';
import { leave } from './broken.js';

const PATIENCE = 15_000;

/** Posts a message and waits for its response. */
async function ask(
  play: Play,
  link: Link,
  body: unknown,
  headers: readonly string[],
): Promise<string | undefined> {
  const from = link.answers.done.length;
  link.methods.push('POST');
  await link.send(posted(body, headers, play.random));
  await link.until(
    () => link.answers.done[from] ?? (link.answers.broken === undefined ? undefined : true),
    PATIENCE,
  );
  const answer = link.answers.done[from];
  const said = JSON.stringify(body).slice(0, 150);
  if (link.answers.broken !== undefined) play.complain('broken answer', `${link.answers.broken}: ${said}`);
  else if (answer === undefined) play.complain(link.isOver ? 'no answer' : 'hang', `MCP: ${said}`);
  return answer && `${answer.status} ${answer.body}`;
}

const echo = (text: string, id: unknown): Message =>
  rpc('tools/call', { name: 'echo', arguments: { text } }, id);

async function sees(
  play: Play,
  link: Link,
  headers: readonly string[],
  wrap: typeof stateless | undefined,
): Promise<void> {
  const token = play.token();
  const message = echo(token, 'seen');
  const [body, more] = wrap?.(message) ?? [message, []];
  const said = await ask(play, link, body, [...headers, ...more]);
  if (said !== undefined && !said.includes(token))
    play.complain('wrong answer', `MCP: the token did not come back: ${said.slice(0, 300)}`);
}

/** A session: answered calls, then any messages, in parallel. Most sessions are never ended. */
export async function session(play: Play): Promise<void> {
  const { random } = play;
  const link = await play.open();
  const headers = await begin(play, link);
  if (!headers) return;
  await ask(play, link, note('notifications/initialized'), headers);
  await sees(play, link, headers, undefined);
  if (random.chance(30)) await listen(play, headers);
  for (let left = random.between(0, 3); left > 0; left -= 1) void aside(play, headers);
  await ask(play, link, rpc('ping', {}, 1), headers);
  await sees(play, link, headers, undefined);
  if (!random.chance(30)) return leave(play, link);
  await link.send(Buffer.from(`DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n${headers.join('\r\n')}\r\n\r\n`));
  await leave(play, link);
}

/** The session's own stream, which may be left open. */
async function listen(play: Play, headers: readonly string[]): Promise<void> {
  const link = await play.open();
  await link.send(
    Buffer.from(
      `GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n${headers.join('\r\n')}\r\n\r\n`,
    ),
  );
  await link.until(() => link.answers.rest.length > 0 || link.came.length > 0 || undefined, 200);
}

/** In parallel to a session: ids in use, calls without a waiting client, responses to unknown requests. */
async function aside(play: Play, headers: readonly string[]): Promise<void> {
  const { random } = play;
  const link = await play.open().catch(() => undefined);
  if (!link) return;
  const id = random.pick([1, 1, 2, 'a', 0, -1, 1.5, random.word()]);
  const message = random.pick([
    () => anyRequest(play, play.token(), id),
    () => rpc('tools/call', { name: 'wait', arguments: {} }, id),
    () => note('notifications/cancelled', { requestId: id }),
    () => ({ jsonrpc: '2.0', id, result: { action: 'accept', content: { name: 'x' } } }),
    () => ({ jsonrpc: '2.0', id, error: { code: -1, message: 'no' } }),
    () => rpc('initialize', {}, id),
  ])();
  await link.send(posted(message, headers, random));
  if (random.chance(60)) await link.over(random.between(0, 200));
  link.destroy();
}

/** The protocol without sessions. */
export async function sessionless(play: Play): Promise<void> {
  const { random } = play;
  const link = await play.open();
  await sees(play, link, [], stateless);
  const able = random.chance(50) ? { elicitation: {} } : {};
  const message = random.chance(20)
    ? rpc(
        'subscriptions/listen',
        { notifications: { toolsListChanged: true, resourceSubscriptions: ['notes://1'] } },
        7,
      )
    : anyRequest(play, play.token(), random.pick([1, 'x', 0]));
  const [body, headers] = stateless(message, able);
  if (message.method === 'subscriptions/listen' || random.chance(30)) {
    await link.send(posted(body, headers, random));
    return leave(play, link);
  }
  await ask(play, link, body, headers);
  await sees(play, link, [], stateless);
}

const BODIES = [
  '{',
  '[]',
  'null',
  '1',
  '""',
  '[[]]',
  '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"1.0","id":1,"method":"ping"}',
  '{"jsonrpc":"2.0","id":{},"method":"ping"}',
  '{"jsonrpc":"2.0","id":1,"method":{}}',
  '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
  '{"__proto__":{"jsonrpc":"2.0"},"id":1,"method":"ping"}',
  `[${'{},'.repeat(200)}{}]`,
  `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
];

/** Malformed messages, and messages with changed bytes. */
export async function brokenMessages(play: Play): Promise<void> {
  const { random } = play;
  const link = await play.open();
  const headers = random.chance(50) ? await begin(play, link) : [];
  if (!headers) return;
  const [body, more] = random.chance(50)
    ? stateless(anyRequest(play, play.token(), 1))
    : [anyRequest(play, play.token(), 1), []];
  const bytes = random.chance(40)
    ? posted(random.pick(BODIES), [...headers, ...more], random)
    : mutated(posted(random.chance(30) ? [body, body] : body, [...headers, ...more], random), random);
  await link.send(bytes, random.pick(['whole', 'pieces']), random);
  await leave(play, link);
}
