import type { Files } from '../../harness/project.js';
import { module, wsModule } from '../../harness/source.js';
import { checked } from '../http/validation-project.js';

/** Waits some turns of the queue of microtasks, and not for time. */
const TURNS = 'async (turns) => { for (let turn = 0; turn < turns; turn++) await null; return true; }';

/** Takes the longer the larger its number is. */
const SLOW = `z.number().refine(${TURNS})`;

const MESSAGE = `z.discriminatedUnion('type', [
  z.object({ type: z.literal('say'), text: z.string(), at: z.coerce.date() }),
  z.object({ type: z.literal('leave') }),
])`;

const NUMBERED = 'z.object({ n: z.number() })';

const unchecked = (text: string): string => text.replace(/;\n$/, '.meta({ checkResponse: false });\n');

/**
 * A route that sends events of one schema. The wrong value is computed, so that the source, which pages and logs show,
 * does not contain it.
 */
const sends = (handler: string): string => checked('sse', `{ events: { message: ${NUMBERED} } }`, handler);

export const events: Files = {
  'api/prices/[id].get.ts': checked(
    'sse',
    `{
      params: z.object({ id: z.number() }),
      query: z.object({ from: z.number().default(1), tag: z.array(z.string()).optional() }),
      headers: z.object({ 'x-n': z.number().optional() }),
      events: {
        message: z.object({ sum: z.number(), at: z.date().transform((at) => at.getTime()), note: z.string().default('none') }),
        closed: z.string(),
      },
    }`,
    `async ({ params, req, send, emit, comment }) => {
      await send({ sum: params.id + req.query.from + (req.headers['x-n'] ?? 0), at: new Date(5), secret: 'x' }, { id: '7' });
      await comment('seen by nobody');
      await emit('closed', '7');
      await emit('message', { sum: req.query.tag?.length ?? 0, at: new Date(6) });
    }`,
  ),
  'api/valibot.get.ts': checked(
    'sse',
    `{
      query: toStandardJsonSchema(v.object({ n: v.number() })),
      events: { n: v.object({ n: v.number(), m: v.optional(v.number(), 1) }) },
    }`,
    `({ emit, req }) => emit('n', { n: req.query.n, secret: 'x' })`,
  ),
  'api/ark.get.ts': checked(
    'sse',
    `{ query: type({ n: 'number' }), events: { message: type({ n: 'number' }) } }`,
    '({ send, req }) => send({ n: req.query.n })',
  ),
  'api/order.get.ts': checked(
    'sse',
    `{ events: { message: ${SLOW} } }`,
    '({ send, close }) => { for (const n of [9, 0, 5, 1]) send(n); close(); send(2); }',
  ),
  'api/late.get.ts': checked(
    'sse',
    `{ events: { message: ${SLOW} } }`,
    '({ send }) => { send(9); send(3); }',
  ),
  'api/first.get.ts': sends(`({ send }) => send({ n: 'hunter' + 2 })`),
  'api/undeclared.get.ts': sends(`({ emit }) => emit('toString', { n: 1 })`),
  'api/second.get.ts': sends(
    `async ({ send }) => { await send({ n: 1 }); await send({ n: 'hunter' + 2 }); }`,
  ),
  'api/unawaited.get.ts': sends(`({ send, signal }) => {
    setImmediate(async () => { await send({ n: 1 }); send({ n: 'hunter' + 2 }); send({ n: 2 }); });
    return () => console.log('[unsubscribed ' + signal.aborted + ']');
  }`),
  'api/slow-misfit.get.ts': checked(
    'sse',
    `{ events: { message: ${SLOW} } }`,
    `({ send }) => { send(9); send('hunter' + 2); return () => {}; }`,
  ),
  'api/valibot-misfit.get.ts': checked(
    'sse',
    '{ events: { message: v.object({ n: v.number() }) } }',
    `({ send }) => send({ n: 'hunter' + 2 })`,
  ),
  'api/unchecked.get.ts': unchecked(
    sends(`async ({ send, emit }) => { await send({ n: 'x' }); await emit('other', 'text'); }`),
  ),
  'api/version.ts': module('get', 'export default get(() => 0);'),
};

/** A socket that answers with each message as its schema returned it. */
export const echo = (receive: string, more = ''): string =>
  checked(
    'ws',
    `{ receive: ${receive} }`,
    `({ onJson, onInvalid, onMessage, send }) => { onJson((value) => { send({ value }); });${more} }`,
  );

const answers = (handler: string): string => checked('ws', `{ send: ${NUMBERED} }`, handler);

export const sockets: Files = {
  'ws/rooms/[room].ts': checked(
    'ws',
    `{
      params: z.object({ room: z.number() }),
      query: z.object({ from: z.number().default(1) }),
      headers: z.object({ 'x-n': z.number().optional() }),
      receive: ${MESSAGE},
      send: z.object({ by: z.string(), at: z.date().transform((at) => at.getTime()) }),
    }`,
    `({ params, req, join, publish, onJson, send }) => {
      join('room ' + params.room);
      const sum = params.room + req.query.from + (req.headers['x-n'] ?? 0);
      onJson(async (message) => {
        if (message.type === 'say') publish('room ' + params.room, { by: message.text + sum, at: message.at, secret: 'x' });
        else await send({ by: 'you', at: new Date(0), secret: 'x' });
      });
    }`,
  ),
  'ws/echo.ts': echo(`z.object({ n: z.number() }).strict()`),
  'ws/valibot.ts': echo('v.object({ n: v.number() })'),
  'ws/ark.ts': echo(`type({ n: 'number' })`),
  'ws/long.ts': echo(`z.string('é'.repeat(200))`),
  'ws/late.ts': echo(SLOW),
  'ws/raw.ts': echo(NUMBERED, 'onMessage((raw) => { send({ raw: String(raw) }); });'),
  'ws/stays.ts': echo(NUMBERED, 'onInvalid(async (issues) => { await null; send({ issues }); });'),
  'ws/plain.ts': wsModule(
    '({ onJson, onInvalid, send }) => { onJson((value) => { send({ value }); }); onInvalid((issues) => { send({ issues }); }); }',
  ),
  'ws/text.ts': checked(
    'ws',
    '{ send: z.union([z.string(), z.instanceof(Uint8Array)]) }',
    `({ send }) => { send('7'); send(new Uint8Array([7])); }`,
  ),
  'ws/order.ts': checked(
    'ws',
    `{ send: ${SLOW} }`,
    '({ send, close }) => { for (const n of [9, 0, 5]) send(n); close(4001); send(1); }',
  ),
  'ws/misfit.ts': answers(`async ({ send }) => { await send({ n: 'hunter' + 2 }); }`),
  'ws/callback.ts': answers(
    `({ onMessage, send }) => onMessage(async () => { await send({ n: 'hunter' + 2 }); })`,
  ),
  'ws/unawaited.ts': answers(
    `({ send }) => { send({ n: 1 }); setImmediate(() => send({ n: 'hunter' + 2 })); }`,
  ),
  'ws/publishes.ts': answers(`({ join, publish, onMessage }) => {
    join('all');
    onMessage((n) => { publish('all', { n: Number(n) || n }); });
  }`),
  'ws/closer.ts': answers(`({ onClose, send }) => onClose(async () => { await send({ n: 'hunter' + 2 }); })`),
  'ws/unchecked.ts': unchecked(answers(`({ send }) => { send({ n: 'x' }); send('text'); }`)),
};
