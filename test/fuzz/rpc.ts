import type { Link } from './link.js';
import type { Play } from './play.js';
import type { Random } from './random.js';
import { inChunks } from './request.js';

export type Message = Readonly<Record<string, unknown>>;

/** A request of JSON-RPC. */
export const rpc = (method: string, params: object, id: unknown): Message => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

export const note = (method: string, params: object = {}): Message => ({ jsonrpc: '2.0', method, params });

const NOTE_URI = ['notes://1', 'notes://2', 'config://app', 'notes://', 'x', `notes://${'y'.repeat(500)}`];

/** A request of any kind; tools return `token` if they can. */
export function anyRequest({ random }: Play, token: string, id: unknown): Message {
  const call = (name: string, args: object) =>
    rpc(
      'tools/call',
      { name, arguments: args, ...(random.chance(50) ? { _meta: { progressToken: token } } : {}) },
      id,
    );
  return random.pick([
    () => call('echo', { text: token }),
    () => call('echo', { text: `${token}${'x'.repeat(random.pick([0, 1_000, 100_000]))}` }),
    () => call('count', { text: token }),
    () => call('ask', {}),
    () => call('cart', {}),
    () => call('touch', { id: random.pick(['1', '2']) }),
    () => call(random.pick(['nothing', 'constructor', '__proto__']), {}),
    () => call('echo', { text: random.pick([1, null, {}]) }),
    () => rpc('ping', {}, id),
    () =>
      rpc(
        random.pick(['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']),
        random.chance(20) ? { cursor: random.word() } : {},
        id,
      ),
    () => rpc('resources/read', { uri: random.pick(NOTE_URI) }, id),
    () =>
      rpc(
        random.pick(['resources/subscribe', 'resources/unsubscribe']),
        { uri: random.pick([...NOTE_URI, `notes://${random.word()}`]) },
        id,
      ),
    () =>
      rpc('prompts/get', { name: random.pick(['summarize', 'toString']), arguments: { topic: token } }, id),
    () =>
      rpc(
        'completion/complete',
        {
          ref: { type: 'ref/resource', uri: 'notes://{id}' },
          argument: { name: 'id', value: random.pick(['', '1', 'constructor']) },
        },
        id,
      ),
    () => rpc('logging/setLevel', { level: random.pick(['debug', 'error', 'toString']) }, id),
    () => rpc(random.pick(['nothing', 'constructor', 'rpc.discover', 'server/discover']), {}, id),
  ])();
}

const BASE = ['Content-Type: application/json', 'Accept: application/json, text/event-stream'];

/** A POST to the endpoint, as bytes. */
export function posted(body: unknown, headers: readonly string[], random: Random): Buffer {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const isChunked = random.chance(20);
  const framing = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes.length}`;
  const head = ['POST /mcp HTTP/1.1', 'Host: localhost', ...BASE, ...headers, framing, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), isChunked ? inChunks(bytes, random) : bytes]);
}

/** The message and headers of a request in the stateless protocol (2026-07-28). */
export function stateless(
  message: Message,
  capabilities: object = {},
): readonly [Message, readonly string[]] {
  const params = message.params as Message;
  const meta = {
    ...(params._meta as object | undefined),
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const name = params.name ?? params.uri;
  return [
    { ...message, params: { ...params, _meta: meta } },
    [
      'Mcp-Protocol-Version: 2026-07-28',
      `Mcp-Method: ${String(message.method)}`,
      ...(typeof name === 'string' ? [`Mcp-Name: ${name}`] : []),
    ],
  ];
}

/** Begins a session on a connection; gives the header that names it. */
export async function begin(play: Play, link: Link): Promise<readonly string[] | undefined> {
  const { random } = play;
  const capabilities = random.chance(50)
    ? { elicitation: {}, sampling: {}, roots: { listChanged: true } }
    : {};
  const clientInfo = {
    name: random.word(),
    version: '1',
    title: 'x'.repeat(random.pick([0, 0, 0, 1_000, 200_000])),
  };
  const protocolVersion = random.pick(['2025-11-25', '2025-06-18', '2025-03-26', '1999-01-01']);
  link.methods.push('POST');
  const from = link.answers.done.length;
  await link.send(posted(rpc('initialize', { protocolVersion, capabilities, clientInfo }, 0), [], random));
  await link.until(() => link.answers.done[from], 15_000);
  const answer = link.answers.done[from];
  const id = answer?.headers.get('mcp-session-id');
  if (answer?.status === 200 && id !== undefined) return [`Mcp-Session-Id: ${id}`];
  const what = `initialize was answered with ${answer?.status}: ${answer?.body.toString().slice(0, 200)}`;
  // A value too large for the server to keep may be refused.
  if (answer === undefined || clientInfo.title.length < 1_000)
    play.complain(answer ? 'wrong answer' : 'hang', what);
  return undefined;
}
