import type { Files } from '../../harness/project.js';
import { right as routes } from '../http/validation-typed.js';

/** A project with the routes of the schema tests, and uses of its client that compile. */
export const right: Files = {
  ...routes,
  'api/form.post.ts': `import { post } from 'fwkit';
import { z } from 'zod';
export default post({ body: z.object({ title: z.string(), cover: z.file() }) }, ({ body }) => ({ size: body.cover.size }));
`,
  'src/api/script.post.js': `import { post } from 'fwkit';
import { z } from 'zod';
export default post({ body: z.object({ n: z.number() }) }, async ({ body }) => ({ n: body.n }));
`,
  'api/wrapped.ts': `import { put } from 'fwkit';
export default put(() => ({ put: true }));
`,
  'api/any/[...rest].ts': `import { all, error } from 'fwkit';
export default all((req) => (req.path === '/' ? null : req.path === '/x' ? error(402, 'pay') : { at: req.path }));
`,
  'api/kinds.get.ts': `import { Readable } from 'node:stream';
import { get } from 'fwkit';
const any: ReturnType<typeof JSON.parse> = 1;
export default get((req) => {
  if (req.path === 'a') return Readable.from(['x']);
  if (req.path === 'b') return new Uint8Array();
  return any;
});
`,
  'api/table.get.ts': `import { get } from 'fwkit';
export default get((): Record<string, number> | null => ({ a: 1 }));
`,
  'api/bytes.get.ts': `import { get } from 'fwkit';
export default get(() => new Uint8Array());
`,
  'api/nullable.post.ts': `import { post } from 'fwkit';
import { z } from 'zod';
export default post({ response: z.object({ a: z.number() }).nullable() }, () => null);
`,
  'api/nullable.put.ts': `import { put } from 'fwkit';
import { z } from 'zod';
export default put({ response: { 200: z.string().nullable(), 201: z.string().optional() } }, () => null);
`,
  'api/nullable.get.ts': `import { get } from 'fwkit';
import { z } from 'zod';
export default get({ response: z.string().nullable() }, () => null);
`,
  'api/json.post.ts': `import { post } from 'fwkit';
import { z } from 'zod';
type J = string | number | boolean | null | J[] | { [key: string]: J };
export default post({ body: z.object({ doc: z.json() }) }, ({ body }): { doc: J; list: readonly J[] } => ({ doc: body.doc, list: [] }));
`,
  'api/json.get.ts': `import { get } from 'fwkit';
import { z } from 'zod';
export default get({ response: z.object({ doc: z.json() }) }, () => ({ doc: { a: [1] } }));
`,
  'api/accepted.post.ts': `import { post } from 'fwkit';
export default post((_req, res) => res.status(202).json({ queued: true }));
`,
  'web/page.get.ts': `import { get, view } from 'fwkit';
export default get(() => view('page', { a: 1 }));
`,
  'api/ticks.get.ts': `import { sse } from 'fwkit';
import { z } from 'zod';
export default sse(
  { query: z.object({ from: z.coerce.number() }), events: { message: z.object({ at: z.date() }), bye: z.string() } },
  async ({ send, emit, req }) => {
    await send({ at: new Date(req.query.from) });
    await emit('bye', 'now');
  },
);
`,
  'api/news.get.ts': `import { sse } from 'fwkit';
export default sse(({ send }) => send(1));
`,
  'ws/rooms/[room].ts': `import { ws } from 'fwkit';
import { z } from 'zod';
const Said = z.discriminatedUnion('type', [z.object({ type: z.literal('say'), text: z.string() }), z.object({ type: z.literal('leave') })]);
export default ws({ receive: Said, send: z.object({ by: z.string(), at: z.date() }) }, ({ onJson, publish, params }) =>
  onJson((message) => message.type === 'say' && publish(params.room, { by: message.text, at: new Date() })));
`,
  'ws/plain.ts': `import { ws } from 'fwkit';
export default ws(({ send, onMessage }) => onMessage(send));
`,
  'lib/query.ts': `import { QueryClient, QueryObserver } from '@tanstack/query-core';
import { createClient } from 'fwkit/client';
import { queryOptions } from 'fwkit/client/query';
import { createResilientClient } from 'fwkit/client/resilient';
type Alike<A, B> = 0 extends 1 & A ? false : [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const alike = <A, B>(..._differs: Alike<A, B> extends true ? [] : ['the types differ', A, B]): void => {};
const api = createClient('https://shop.example');
const resilient = createResilientClient('https://shop.example', { timeout: 1000, retries: 1 });
const queries = new QueryClient();

const book = await queries.fetchQuery(queryOptions(api, '/api/books/:id', { params: { id: 1 } }));
alike<typeof book, { id: number; title: string; kind: 'novel' | 'poem'; added: string; note?: string }>();
const page = await queries.fetchQuery({ ...queryOptions(api, '/page'), staleTime: 1000 });
alike<typeof page, string>();
export const observer = new QueryObserver(queries, {
  ...queryOptions(resilient, '/api/books/:id', { params: { id: 1 }, timeout: 10 }),
  select: ({ title }) => title.length,
});
export const books = queryOptions(api, '/api/any/*rest', { params: { rest: 'x' } });

const same = await resilient('/api/books/:id').get({ params: { id: 1 }, timeout: 5, retries: 1 });
if (same.ok) alike<typeof same.data, typeof book>();
await resilient('/api/books').post({ body: { title: 'x' }, onUploadProgress: ({ loaded, total }) => alike<[typeof loaded, typeof total], [number, number]>() });
for await (const tick of (await resilient('/api/ticks').get({ query: { from: 1 }, reconnect: true })).data ?? [])
  if (tick.event === 'bye') alike<typeof tick.data, string>();
const raw: Response = await resilient.raw('/api/wrapped').put({ timeout: 5 });
void raw;
`,
  'lib/client.ts': `import { createTestApp } from 'fwkit/testing';
import NodeWebSocket from 'ws';
import { createClient, data, type Jsonify, type JsonValue } from 'fwkit/client';
type IsAny<T> = 0 extends 1 & T ? true : false;
type Alike<A, B> = IsAny<A> extends true ? false : [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const alike = <A, B>(..._differs: Alike<A, B> extends true ? [] : ['the types differ', A, B]): void => {};
const api = createClient('https://shop.example', { headers: () => ({ authorization: 'x' }) });

const book = await api('/api/books/:id').get({ params: { id: 1 }, query: { page: '2', tag: ['a'] } });
if (book.ok) alike<typeof book.data, { id: number; title: string; kind: 'novel' | 'poem'; added: string; note?: string }>();
else if (book.status === 410) alike<typeof book.error, { since: string }>();
else if (book.status === 422) alike<(typeof book.error.errors)[number]['in'], 'params' | 'query' | 'headers' | 'body'>();
else if (book.status === 409) alike<typeof book.error.kind, 'novel' | 'poem'>();
else alike<typeof book.error.message, string>();
await api('/api/books/:id').get({ params: { id: 1 }, query: { page: new Date() } });

const added = await api('/api/books').post({ body: { title: 'x' }, signal: AbortSignal.timeout(10), init: { keepalive: true } });
if (added.ok) alike<typeof added.data, { title: string; at: string }>();
if (added.status === 409) alike<typeof added.error, { message: string; pages: number }>();
if (added.status === 413) alike<typeof added.error, { message: string }>();
if (added.status === 401) alike<typeof added.error.message, string>();

const ark = await api('/api/ark').post({ body: { name: 'a' } });
if (ark.ok && ark.status === 201) alike<typeof ark.data, { ok: true }>();
if (ark.ok && ark.status === 204) alike<typeof ark.data, undefined>();

export const slugOf = async () => data(api('/api/plain/:slug').get({ params: { slug: 'x' } }));
alike<Awaited<ReturnType<typeof slugOf>>, { slug: string }>();
await api('/api/plain/:slug').del({ params: { slug: 7 } });
export const put = () => api('/api/wrapped').put();
const wrapped = await put();
if (wrapped.ok) alike<typeof wrapped.data, { put: boolean }>();
const script = await api('/api/script').post({ body: { n: 1 } });
if (script.ok) alike<typeof script.data, { n: number }>();
await api('/api/form').post({ body: { title: 'x', cover: new File([], 'x') } });

const form = new FormData();
await api('/api/form').post({ body: form });

// A file for all methods: null is 404 from GET alone.
const got = await api('/api/any/*rest').get({ params: { rest: 'a/b' }, query: { any: [1, 'x'] } });
if (got.ok) alike<typeof got.data, { at: string }>();
if (got.status === 402) alike<typeof got.error, { message: string }>();
const patched = await api('/api/any/*rest').patch({ params: { rest: 'a' }, body: { anything: 1 } });
if (patched.ok && patched.status === 204) alike<typeof patched.data, undefined>();

const kinds = await api('/api/kinds').get();
if (kinds.ok) alike<typeof kinds.data, unknown>();
const table = await api('/api/table').get();
if (table.ok) alike<typeof table.data, { [x: string]: number }>();
if (table.status === 404) alike<typeof table.error.message, string>();
const bytes = await api('/api/bytes').get();
if (bytes.ok) alike<typeof bytes.data, Blob | string>();
const page = await api('/page').get();
if (page.ok) alike<typeof page.data, string>();

const response: Response = await api.raw('/api/books/:id').get({ params: { id: 1 } });
const head: Response = await api.raw('/api/books/:id').head({ params: { id: 1 } });
void [response, head];
export const books = api('/api/books/:id');
export const load = async () => api('/api/books/:id').get({ params: { id: 1 } });

const ticks = await api('/api/ticks').get({ query: { from: 1 } });
if (ticks.ok)
  for await (const tick of ticks.data)
    if (tick.event === 'bye') alike<typeof tick.data, string>();
    else alike<typeof tick.data, { at: string }>();
const news = await data(api('/api/news').get());
for await (const { event, data, id } of news) alike<[typeof event, typeof data, typeof id], [string, unknown, string]>();

export const room = api('/ws/rooms/:room').ws({ params: { room: 'tea' }, query: { any: 1 } });
room.send({ type: 'say', text: 'hello' });
for await (const message of room) alike<typeof message, { by: string; at: string }>();
api('/ws/plain').ws().send('anything');
room.raw.addEventListener('close', ({ code, reason }) => alike<[typeof code, typeof reason], [number, string]>());
createClient('https://shop.example', { WebSocket: NodeWebSocket });
createClient('https://shop.example', { WebSocket, fetch });

// A value that a schema transforms to null or undefined is sent without a body.
const nulled = await api('/api/nullable').post();
if (nulled.ok && nulled.status === 204) alike<typeof nulled.data, undefined>();
else if (nulled.ok) alike<typeof nulled.data, { a: number }>();
const mapped = await api('/api/nullable').put();
if (mapped.ok && mapped.status === 200) alike<typeof mapped.data, string>();
if (mapped.ok && mapped.status === 201) alike<typeof mapped.data, string | undefined>();
if (mapped.ok && mapped.status === 204) alike<typeof mapped.data, undefined>();
const found = await api('/api/nullable').get();
if (found.ok) alike<typeof found.data, string>();
else if (found.status === 404) alike<typeof found.error.message, string>();

const document = await api('/api/json').get();
if (document.ok) alike<typeof document.data, { doc: JsonValue }>();
const posted = await api('/api/json').post({ body: { doc: [{ a: null }] } });
if (posted.ok) alike<typeof posted.data, { doc: JsonValue; list: readonly JsonValue[] }>();

const accepted = await api('/api/accepted').post();
if (accepted.ok && accepted.status === 202) alike<typeof accepted.data, unknown>();
if (accepted.ok && accepted.status === 204) alike<typeof accepted.data, undefined>();
alike<Jsonify<{ map: Map<string, Date>; bad: Error; bytes: Uint8Array }>, { map: never; bad: never; bytes: { [index: string]: number } }>();
alike<Jsonify<URL>, string>();

type Api = ReturnType<typeof createClient>;
export const later = (one: Api) => one('/api/books/:id').get({ params: { id: 1 } });

const app = await createTestApp();
const tested = await app.api('/api/books/:id').get({ params: { id: 1 } });
if (tested.ok) alike<typeof tested.data, (typeof book & { ok: true })['data']>();

interface Tree { at: Date; children: Tree[]; parent?: Tree | undefined; [Symbol.iterator]?: 1; map: Map<string, Date>; run(): void }
declare const tree: Jsonify<Tree>;
alike<(typeof tree.children)[number]['at'], string>();
alike<keyof typeof tree, 'at' | 'children' | 'parent' | 'map'>();
alike<Jsonify<[Date, undefined, bigint]>, [string, null, never]>();
alike<Jsonify<(Date | undefined)[]>, (string | null)[]>();
alike<Jsonify<readonly (boolean | symbol)[]>, readonly (boolean | null)[]>();
alike<Jsonify<never[]>, never[]>();
type Row = Jsonify<{ note: string | undefined; at: Date | undefined; is: boolean | undefined; none: null | undefined; run: (() => void) | undefined; id: number }>;
alike<Row, { note?: string; at?: string; is?: boolean; none?: null; id: number }>();
alike<Record<never, never> extends Omit<Row, 'id'> ? 'optional' : 'required', 'optional'>();
`,
};

/** Uses that do not. */
export const wrong: Files = {
  'lib/wrong.ts': `import { createClient } from 'fwkit/client';
import { queryOptions } from 'fwkit/client/query';
import { createResilientClient } from 'fwkit/client/resilient';
const api = createClient('https://shop.example');
await api('/api/book/:id').get({ params: { id: 1 } }); //! TS2345 // Argument of type '"/api/book/:id"' is not assignable to parameter of type
await api('/api/books/:id').put({ params: { id: 1 } }); //! TS2339 // Property 'put' does not exist
await api('/api/books/:id').get(); //! TS2554 // Expected 1 arguments, but got 0
await api('/api/books/:id').get({ params: { nope: 1 } }); //! TS2353 // 'nope' does not exist in type
await api('/api/books/:id').get({ params: { id: 'one' } }); //! TS2322 // Type 'string' is not assignable to type 'number'
await api('/api/books').post({ body: { title: 7 } }); //! TS2322 // Type 'number' is not assignable to type 'string'
await api('/api/books').post({ body: { title: 'x', page: 1 } }); //! TS2561 // 'page' does not exist in type
await api('/api/books/:id').get({ params: { id: 1 }, body: new FormData() }); //! TS2322 // Type 'FormData' is not assignable to type 'undefined'
await api('/api/books').post({ query: {} }); //! TS2345 // Property 'body' is missing
await api('/api/books').post({ body: { title: 'x' }, nope: 1 }); //! TS2353 // 'nope' does not exist in type
await api('/api/plain/:slug').get({ params: { slug: 'x' }, body: 1 }); //! TS2322 // Type 'number' is not assignable to type 'undefined'
await api.raw('/api/book').get(); //! TS2345 // Argument of type '"/api/book"' is not assignable to parameter of type
await api.raw('/api/books').post(); //! TS2554 // Expected 1 arguments, but got 0
const r = await api('/api/books/:id').get({ params: { id: 1 } });
r.data.title; //! TS18048 // 'r.data' is possibly 'undefined'
if (r.ok) r.data.titel; //! TS2551 // Property 'titel' does not exist
if (r.ok) r.data.added.getTime(); //! TS2339 // Property 'getTime' does not exist on type 'string'
if (r.status === 410) r.error.message; //! TS2339 // Property 'message' does not exist on type '{ since: string; }'
if (r.status === 299) void r; //! TS2367 // This comparison appears to be unintentional
const t = await api('/api/ticks').get({ query: { from: 1 } });
if (t.ok) for await (const tick of t.data) if (tick.event === 'by') break; //! TS2367 // This comparison appears to be unintentional
if (t.ok) for await (const tick of t.data) if (tick.event === 'bye') tick.data.when; //! TS2339 // Property 'when' does not exist on type 'string'
api('/ws/rooms/:room').ws({ params: { room: 'tea' } }).send({ type: 'shout' }); //! TS2322 // Type '"shout"' is not assignable to type
api('/ws/rooms/:room').ws(); //! TS2554 // Expected 1 arguments, but got 0
api('/ws/room').ws({ params: { room: 'tea' } }); //! TS2345 // Argument of type '"/ws/room"' is not assignable to parameter of type
const wrongPath: string = '/api/books';
createClient<Record<never, never>>('https://shop.example')('/api/books'); //! TS2345 // No route is known: run
await api('/api/books').post({ body: { title: 'x' }, init: { headers: {} } }); //! TS2353 // 'headers' does not exist in type
queryOptions(api, '/api/book/:id', { params: { id: 1 } }); //! TS2345 // Argument of type '"/api/book/:id"' is not assignable to parameter of type
queryOptions(api, '/api/wrapped'); //! TS2345 // Argument of type '"/api/wrapped"' is not assignable to parameter of type
queryOptions(api, '/api/books/:id', { params: { id: 'one' } }); //! TS2322 // Type 'string' is not assignable to type 'number'
queryOptions(api, '/api/books/:id'); //! TS2554 // Expected 3 arguments, but got 2
await api('/api/books/:id').get({ params: { id: 1 }, timeout: 5 }); //! TS2353 // 'timeout' does not exist in type
await createResilientClient('https://shop.example')('/api/books').post({ body: { title: 'x' }, retry: 1 }); //! TS2353 // 'retry' does not exist in type
await api(wrongPath).get(); //! TS2345 // Argument of type 'string' is not assignable to parameter of type
`,
  'src/lib/unchecked.js': `import { createClient } from 'fwkit/client';
const api = createClient('https://shop.example');
await api('/api/books').post({ body: { title: 7 } }); //! TS2322 // Type 'number' is not assignable to type 'string'
const r = await api('/api/books/:id').get({ params: { id: 1 } });
if (r.ok) r.data.added.getTime(); //! TS2339 // Property 'getTime' does not exist on type 'string'
`,
};
