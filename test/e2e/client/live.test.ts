import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { clientOf, data, events, rejected } from '../../harness/client.js';
import { dev } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { project } from '../../harness/project.js';
import { checked } from '../http/validation-project.js';

const made = project(
  {
    'api/prices.get.ts': checked(
      'sse',
      '{ query: z.object({ from: z.number() }), events: { message: z.object({ at: z.number() }), closed: z.string() } }',
      `async ({ req, send, emit, comment }) => {
        await send({ at: req.query.from }, { id: 'a' });
        await comment('nobody reads this');
        await emit('closed', '42');
      }`,
    ),
    'api/endless.get.ts': checked(
      'sse',
      '{}',
      `({ send, signal }) => {
      signal.addEventListener('abort', () => console.log('[left]'));
      send('first');
      return () => {};
    }`,
    ),
    'api/denied.get.ts': checked('sse, error', '{}', `() => { throw error(403, 'Members only'); }`),
    'ws/rooms/[room].ts': checked(
      'ws',
      '{ query: z.object({ by: z.string() }), receive: z.object({ text: z.string() }), send: z.object({ by: z.string(), text: z.string() }) }',
      `({ onJson, send, close, params, req }) => onJson(({ text }) => {
        send({ by: req.query.by + ' in ' + params.room, text });
        if (text === 'bye') close(4001, 'as asked');
      })`,
    ),
  },
  'js',
);
linkLibraries(made);
const server = await dev(made);
const api = clientOf(server.url, { WebSocket });

const test = suite('events and sockets');

test('events have a name, data and the last event ID', async () => {
  assert.equal(await events(api('/api/prices').get({ query: { from: 7 } })), [
    { event: 'message', data: { at: 7 }, id: 'a' },
    { event: 'closed', data: '42', id: 'a' },
  ]);
});

test('a rejected stream is an outcome', async () => {
  assert.equal((await api('/api/denied').get()).error, { message: 'Members only' });
});

test('leaving the loop ends the request, and so does an abort, which the loop throws', async () => {
  let from = server.output.mark();
  assert.equal(await events(api('/api/endless').get(), 1), [{ event: 'message', data: 'first', id: '' }]);
  await server.waitFor(/\[left\]/, from);

  from = server.output.mark();
  const leave = new AbortController();
  const stream = (await data(api('/api/endless').get({ signal: leave.signal }))) as AsyncIterable<unknown>;
  const thrown = await rejected(
    (async () => {
      for await (const _ of stream) leave.abort();
    })(),
  );
  assert.is(thrown.name, 'AbortError');
  await server.waitFor(/\[left\]/, from);
});

test('a socket queues messages until it is open, and its loop ends with the connection', async () => {
  const room = api('/ws/rooms/:room').ws({ params: { room: 'a/b' }, query: { by: 'ada' } });
  room.send({ text: 'one' });
  room.send({ text: 'bye' });
  const closed = new Promise((resolve) => (room.raw as WebSocket).once('close', resolve));
  const messages: unknown[] = [];
  for await (const message of room) messages.push(message);
  assert.equal(messages, [
    { by: 'ada in a/b', text: 'one' },
    { by: 'ada in a/b', text: 'bye' },
  ]);
  assert.is(await closed, 4001);
  for await (const message of room) assert.unreachable(String(message));
});

test('two loops over one socket both end', async () => {
  const room = api('/ws/rooms/:room').ws({ params: { room: 'tea' }, query: { by: 'ada' } });
  const messages: unknown[] = [];
  const loop = async () => {
    for await (const message of room) if (messages.push(message) === 2) room.close();
  };
  const loops = Promise.all([loop(), loop()]);
  room.send({ text: 'one' });
  room.send({ text: 'two' });
  await loops;
  assert.is(messages.length, 2);
});

test('a rejected socket has no messages', async () => {
  const room = api('/ws/nothing').ws();
  for await (const message of room) assert.unreachable(String(message));
});

test.after(async () => void (await server.stop()));
test.run();

const format = suite('the format of events');

/** The events of a response that arrives in these chunks. */
const read = (...chunks: Uint8Array[]) => {
  const body = new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const response = new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
  return events(clientOf('http://localhost', { fetch: async () => response })('/x').get());
};

const text = [
  '\uFEFF: a comment\r\ndata: {"é": "€𝄞"}\r\n\r\n',
  'event: news\rdata: one\rdata\rdata:two\rdata:  three\r\r',
  'id: 7\nid: no\0ne\ndata: with an id\n\n',
  'event: without data\nretry: 10\n\n',
  'data:\n\nnothing: known\ndata: last\nid\n\n',
  'data: incomplete',
].join('');
const expected = [
  { event: 'message', data: { é: '€𝄞' }, id: '' },
  { event: 'news', data: 'one\n\ntwo\n three', id: '' },
  { event: 'message', data: 'with an id', id: '7' },
  { event: 'message', data: '', id: '7' },
  { event: 'message', data: 'last', id: '' },
];

format('all line breaks, comments, fields without a value, IDs with NUL', async () => {
  assert.equal(await read(Buffer.from(text)), expected);
});

format('chunks can end anywhere', async () => {
  const bytes = Buffer.from(text);
  for (let end = 1; end < bytes.length; end++)
    assert.equal(await read(bytes.subarray(0, end), bytes.subarray(end)), expected, `cut at ${end}`);
  assert.equal(await read(...Array.from(bytes, (byte) => Uint8Array.of(byte))), expected);
});

format('an event is complete when its last line ends, even with CR', async () => {
  let more: (chunk: Uint8Array) => void = () => {};
  const body = new ReadableStream({
    start: (controller) => {
      more = (chunk) => controller.enqueue(chunk);
    },
  });
  const response = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  const stream = (await data(
    clientOf('http://localhost', { fetch: async () => response })('/x').get(),
  )) as AsyncIterable<{ data: unknown }>;
  const seen: unknown[] = [];
  more(Buffer.from('data: 1\r\r'));
  for await (const { data } of stream) {
    if (seen.push(data) === 2) break;
    more(Buffer.from('\ndata: 2\r\n\r'));
  }
  assert.equal(seen, [1, 2]);
});

format.run();
