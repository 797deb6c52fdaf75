import type { Files } from '../../harness/project.js';

/** Uses of sse() and ws() that compile. */
export const right: Files = {
  'api/prices/[id].get.ts': `import { sse } from 'fwkit';
import { z } from 'zod';
const Price = z.object({ at: z.date(), kind: z.enum(['ask', 'bid']), note: z.string().default('') });
export default sse(
  {
    params: z.object({ id: z.number() }),
    query: z.object({ from: z.coerce.number() }),
    headers: z.object({ 'x-n': z.number() }),
    events: { message: Price, closed: z.string() },
    title: 'Prices', description: 'As they come', tags: ['live'], deprecated: false, security: ['session'],
  },
  async ({ send, emit, params, req, lastEventId, ctx }) => {
    const numbers: number[] = [params.id, req.params.id, req.query.from, req.headers['x-n']];
    ctx.logger.info(String(numbers) + lastEventId);
    await send({ at: new Date(), kind: 'ask' }, { id: '1' });
    await emit('message', { at: new Date(), kind: 'bid' });
    await emit('closed', 'now');
    return () => {};
  },
).meta({ checkResponse: false });
`,
  'api/events/[slug].get.ts': `import { sse } from 'fwkit';
export default sse<'/api/events/:slug'>(async ({ params, send, emit }) => {
  await send(params.slug);
  await emit('any', { any: true });
});
`,
  'api/loose/[slug].get.ts': `import { type Events, sse } from 'fwkit';
const feed = ({ params, send }: Events<'/api/loose/:slug'>) => send(params.slug);
export const any = (events: Events) => events.send(events.params['anything']);
export const annotated = sse((events: Events<'/api/loose/:slug'>) => feed(events));
export default sse(({ params, send }) => send(params.slug));
`,
  'api/valibot.get.ts': `import { sse } from 'fwkit';
import * as v from 'valibot';
export default sse({ events: { n: v.object({ n: v.optional(v.number(), 1) }) } }, ({ emit }) => emit('n', {}));
`,
  'api/ark.get.ts': `import { type } from 'arktype';
import { sse } from 'fwkit';
export default sse({ query: type({ n: 'number' }), events: { message: type({ n: 'number' }) } }, ({ send, req }) => send({ n: req.query.n }));
`,
  'ws/rooms/[room].ts': `import { ws } from 'fwkit';
import { z } from 'zod';
const Said = z.discriminatedUnion('type', [
  z.object({ type: z.literal('say'), text: z.string(), at: z.coerce.date() }),
  z.object({ type: z.literal('leave') }),
]);
export default ws(
  { params: z.object({ room: z.number() }), query: z.object({ from: z.number() }), receive: Said, send: z.object({ by: z.string(), at: z.date() }), title: 'A room' },
  ({ onJson, onInvalid, send, params, req, publish, join }) => {
    join(params.room.toFixed() + req.query.from.toFixed());
    onJson(async (message) => {
      if (message.type === 'say') publish('tea', { by: message.text, at: message.at }, { self: false });
      else await send({ by: 'you', at: new Date() });
    });
    onInvalid((issues) => send({ by: issues[0]?.message ?? String(issues[0]?.path[0]), at: new Date() }));
  },
).meta({ checkResponse: true });
`,
  'ws/plain/[room].ts': `import { type Socket, ws } from 'fwkit';
export const annotated = ws(({ params, send }: Socket<'/ws/plain/:room'>) => send(params.room));
export const any = ({ params }: Socket) => params['anything'];
export default ws<'/ws/plain/:room'>(({ params, publish, onJson, send }) => {
  onJson((message: unknown) => publish(params.room, { message }));
  void send(Buffer.from('x'));
});
`,
  'ws/loose/[room].ts': `import { ws } from 'fwkit';
export default ws(({ params, send }) => send(params.room));
`,
  'lib/carried.ts': `import type { Endpoint, EventStream, In, Out, SocketEndpoint } from 'fwkit';
type Is<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const is = <_T extends true>() => {};
type EventsOf<E> = E extends Endpoint<'GET', infer _Io, infer R> ? (R extends EventStream<infer V> ? V : 'no stream') : 'no endpoint';
type Prices = EventsOf<(typeof import('../api/prices/[id].get.js'))['default']>;
is<Is<keyof Prices, 'message' | 'closed'>>();
is<Is<Out<Prices['message']>, { at: Date; kind: 'ask' | 'bid'; note: string }>>();
is<Is<EventsOf<(typeof import('../api/events/[slug].get.js'))['default']>, never>>();
type PartsOf<E> = E extends SocketEndpoint<infer P, infer Q, infer R, infer S> ? [In<P>, In<Q>, In<R>, Out<S>] : 'no socket';
type Room = PartsOf<(typeof import('../ws/rooms/[room].js'))['default']>;
is<Is<Room[0], { room: number }>>();
is<Is<Room[1], { from: number }>>();
is<Is<Room[3], { by: string; at: Date }>>();
is<Is<keyof Room[2], 'type'>>();
type Never<E> = E extends SocketEndpoint<infer P, infer Q, infer R, infer S> ? [P, Q, R, S] : 'no socket';
is<Is<Never<(typeof import('../ws/plain/[room].js'))['default']>, [never, never, never, never]>>();
`,
  'lib/live.js': `import { sse, ws } from 'fwkit';
import { z } from 'zod';
export const events = sse({ events: { message: z.object({ n: z.number() }) } }, async ({ send }) => { await send({ n: 1 }); });
export const socket = ws({ receive: z.object({ n: z.number() }) }, ({ onJson, send }) => onJson(({ n }) => send(n.toFixed())));
`,
};

/** Uses that do not compile; such a line ends with the code and a part of the message. */
export const wrong: Files = {
  'lib/wrong-live.ts': `import { sse, ws } from 'fwkit';
import { z } from 'zod';
const Price = z.object({ kind: z.enum(['ask', 'bid']), n: z.number() });
export const a = sse({ event: { message: Price } }, () => {}); //! TS2561 // 'event' does not exist in type 'EventsDefinition
export const b = sse({ events: { message: 7 } }, () => {}); //! TS2322 // Type 'number' is not assignable to type 'StandardSchema
export const c = sse({ events: { message: Price } }, ({ send }) => send({ kind: 'ask' })); //! TS2345 TS2741 // Property 'n' is missing
export const d = sse({ events: { message: Price } }, ({ send }) => send({ kind: 'sell', n: 1 })); //! TS2322 // Type '"sell"' is not assignable to type '"ask" | "bid"'
export const e = sse({ events: { message: Price } }, ({ emit }) => emit('closed', 1)); //! TS2345 // Argument of type '"closed"' is not assignable to parameter of type '"message"'
export const f = sse({ events: { closed: Price } }, ({ send }) => send({ kind: 'ask', n: 1 })); //! TS2345 // is not assignable to parameter of type 'never'
export const g = sse({ body: Price, events: { message: Price } }, () => {}); //! TS2353 // 'body' does not exist in type 'EventsDefinition
export const h = sse({ query: z.object({ n: z.number() }) }, ({ req }) => req.query.n.length); //! TS2339 // Property 'length' does not exist on type 'number'
export const i = sse(({ params, send }) => send(params.nope)); //! TS2339 // Property 'nope' does not exist
export const j = sse(() => 1, { events: { message: Price } }); //! TS2559 // has no properties in common with type 'EventsDefinition
export const k = ws({ recieve: Price }, () => {}); //! TS2561 // 'recieve' does not exist in type 'SocketDefinition
export const l = ws({ receive: Price }, ({ onJson }) => onJson((message) => message.m)); //! TS2339 // Property 'm' does not exist
export const m = ws({ send: Price }, ({ send }) => send('x')); //! TS2345 // Argument of type 'string' is not assignable to parameter of type
export const n = ws({ send: Price }, ({ publish }) => publish('tea', { kind: 'sell', n: 1 })); //! TS2322 // Type '"sell"' is not assignable to type '"ask" | "bid"'
export const o = ws({ receive: 7 }, () => {}); //! TS2322 // Type 'number' is not assignable to type 'StandardSchema
export const p = ws({ receive: Price, body: Price }, () => {}); //! TS2353 // 'body' does not exist in type 'SocketDefinition
export const q = ws(({ params, send }) => send(params.nope)); //! TS2339 // Property 'nope' does not exist
export const r = ws({ receive: Price }, ({ onInvalid }) => onInvalid((issues) => issues[0]?.value)); //! TS2339 // Property 'value' does not exist on type 'Issue'
export const s = ws('x'); //! TS2345 // Argument of type 'string' is not assignable to parameter of type 'SocketHandler
export const t = ws({ send: Price }, ({ onJson, send }) => onJson((message) => send(message))); //! TS2345 // Argument of type 'unknown' is not assignable
`,
};
