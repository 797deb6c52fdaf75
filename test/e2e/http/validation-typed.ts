import type { Files } from '../../harness/project.js';

/** Uses that compile. */
export const right: Files = {
  'api/books/[id].get.ts': `import { error, get } from 'fwkit';
import { z } from 'zod';
const Book = z.object({
  id: z.number(), title: z.string(), kind: z.enum(['novel', 'poem']), added: z.date(), note: z.string().optional(),
});
export default get(
  {
    params: z.object({ id: z.number() }),
    query: z.object({ page: z.coerce.number().default(1), tag: z.array(z.string()).optional() }),
    response: Book,
    errors: { 409: z.object({ kind: z.enum(['novel', 'poem']), tags: z.array(z.string()) }), 410: z.object({ since: z.date() }) },
    title: 'A book', description: 'One book', tags: ['books'], deprecated: false, security: ['session'],
  },
  async ({ params, query }) => {
    const page: number = query.page;
    if (params.id === page) return null;
    if (params.id === 2) return error(410, { since: new Date() });
    if (params.id === 3) throw error(410, { since: new Date() });
    if (params.id === 4) return error(409, { kind: 'poem', tags: ['a'] });
    return { id: params.id, title: query.tag?.[0] ?? '', kind: 'novel', added: new Date() };
  },
);
`,
  'api/books.post.ts': `import { error, post } from 'fwkit';
import * as v from 'valibot';
export default post({ body: v.object({ title: v.string(), pages: v.optional(v.number(), 1) }) }, ({ body }, res) => {
  const pages: number = body.pages;
  if (pages < 1) return error(409, { message: 'too short', pages });
  if (pages > 9) return error(413, 'too long');
  res.status(201);
  return { title: body.title, at: new Date() };
}).meta({ bodyLimit: 10, checkResponse: false });
`,
  'api/undeclared.get.ts': `import { error, get } from 'fwkit';
import { z } from 'zod';
export default get({ query: z.object({ x: z.string().optional() }), response: z.object({ id: z.number() }) }, ({ query }) =>
  query.x ? error(404, 'no') : { id: 1 });
`,
  'api/undeclared.post.ts': `import { error, post } from 'fwkit';
import { z } from 'zod';
export default post({ response: { 201: z.object({ kind: z.enum(['novel', 'poem']) }) } }, async (req) => {
  if (req.path === '/') return error(409, { why: 1 });
  return { kind: 'novel' };
});
`,
  'api/ark.post.ts': `import { type } from 'arktype';
import { post } from 'fwkit';
export default post(
  { body: type({ name: 'string', 'age?': 'number' }), response: { 201: type({ ok: 'true' }), 204: null } },
  (req, res) => {
    const age: number | undefined = req.body.age;
    if (req.body.name || age) return;
    res.status(201);
    return { ok: true };
  },
);
`,
  'api/cover.get.ts': `import { file, get } from 'fwkit';
import { z } from 'zod';
export default get({ response: z.object({ n: z.number() }) }, async (req) => {
  if (req.path === '/') return { n: 1 };
  return file('cover.png', { root: 'covers' });
});
`,
  'api/empty.put.ts': `import { type AnyRequest, put, renewSession } from 'fwkit';
import { z } from 'zod';
const nameOf = (req: AnyRequest) => req.path;
export default put({ query: z.object({ n: z.number() }), headers: z.object({ 'x-n': z.number() }) }, (req, _res, ctx) => {
  renewSession(req);
  ctx.logger.info(nameOf(req) + req.headers['x-n'].toFixed() + req.query.n.toFixed());
});
`,
  'api/own.patch.ts': `import { patch, type StandardSchema } from 'fwkit';
interface Own { readonly own: string }
const own: StandardSchema<unknown, Own> = {
  '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value: { own: String(value) } }) },
};
export default patch({ body: own, response: own }, (req) => req.body.own);
`,
  'api/plain/[slug].del.ts': `import { del, type HttpRequest } from 'fwkit';
const of = (req: HttpRequest) => req.params['anything'];
export default del((req) => {
  const slug: string = req.params.slug;
  const all: Record<string, string> = req.params;
  return void (all[slug] ?? of(req));
});
`,
  'api/plain/[slug].get.ts': `import { get, type HttpRequest } from 'fwkit';
export default get((req: HttpRequest<'/api/plain/:slug'>) => ({ slug: req.params.slug }));
`,
  'api/plain/[slug].put.ts': `import { type HttpRequest, put } from 'fwkit';
export default put((req: HttpRequest) => ({ slug: req.params['anything'] }));
`,
  'lib/errors.ts': `import { error, type HttpError, isHttpError } from 'fwkit';
const thrown: HttpError = error(500, 'text');
const exact: HttpError<404, { message: string }> = error(404, 'text');
const bare: HttpError<401, { message: string }> = error(401);
const list: HttpError<404, { why: string }> = error(404, { why: 'x' });
const status: number = Number('400');
const wide: HttpError<number, { a: number }> = error(status, { a: 1 });
export const statusOf = (what: unknown) => (isHttpError(what) ? what.status + thrown.status + exact.status + bare.status + wide.body.a : list);
`,
  'src/lib/script.js': `import { post } from 'fwkit';
import { z } from 'zod';
export default post({ body: z.object({ n: z.number() }) }, async ({ body }, _res, ctx) => {
  ctx.logger.info(body.n.toFixed());
  return { n: body.n };
});
`,
};

/** Uses that do not compile; such a line ends with the code and a part of the message. */
export const wrong: Files = {
  'lib/wrong.ts': `import { error, get, post } from 'fwkit';
import { z } from 'zod';
const Book = z.object({ id: z.number(), kind: z.enum(['novel', 'poem']) });
const Why = z.object({ why: z.string() });
export const a = post({ bodyy: Book }, (req) => req.path); //! TS2561 // 'bodyy' does not exist in type 'Definition
export const b = post({ body: 7 }, (req) => req.path); //! TS2322 // Type 'number' is not assignable to type 'StandardSchema
export const ofGet = get({ body: Book }, (req) => req.path); //! TS2322 // $strip>' is not assignable to type '
export const c = post({ body: Book }, (req) => req.body.kinds); //! TS2551 // Property 'kinds' does not exist
export const d = get({ response: Book }, () => ({ id: 'one', kind: 'novel' })); //! TS2322 // Type 'string' is not assignable to type 'number'
export const e = get({ response: Book }, (req) => { //! TS2345 // AnsweringHandler
  if (req.path === '/') return { id: 1, kind: 'prose' };
  return { id: 1, kind: 'novel' };
});
export const f = post({ response: Book }, () => {}); //! TS2345 // Type 'void' is not assignable to type
export const g = get({ response: Book, errors: { 404: Why } }, () => error(409, { why: 'x' })); //! TS2322 // Declare this status in the errors of the route.
export const h = get({ response: Book, errors: { 404: Why } }, () => error(404, { because: 'x' })); //! TS2322 // HttpError<404
export const i = get({ errors: { 700: Book } }, () => 1); //! TS2353 // '700' does not exist in type 'Errors'
export const j = get((req) => req.params.nope); //! TS2339 // Property 'nope' does not exist
export const k = get({ query: z.object({ n: z.number() }) }, (req) => req.query.n.length); //! TS2339 // Property 'length' does not exist on type 'number'
export const l = post({ response: { 201: Book } }, () => ({ id: 1 })); //! TS2322 // Property 'kind' is missing
export const m = get({ response: Book }, ({ params }) => ({ id: Number(params.idd), kind: 'novel' })); //! TS2339 TS2551 // Property 'idd' does not exist
export const n = post('x'); //! TS2345 // Argument of type 'string' is not assignable to parameter of type 'Handler
export const o = get({ response: Book }, () => new Response('')); //! TS2322 // Type 'Response' is not assignable to type
export const p = get({ response: Book, errors: { 404: Why } }, () => error(404, 'text')); //! TS2322 // HttpError<404
export const q = get({ headers: z.object({ a: z.string() }) }, ({ headers }) => headers.b); //! TS2339 // Property 'b' does not exist
export const r = post(() => 1, { body: Book }); //! TS2559 // has no properties in common with type 'Definition
export const s = post({ response: { 404: Book } }, () => 1); //! TS2322 // Move this status to the errors of the route.
export const both = post({ response: { 200: Book, 404: Book } }, () => ({ id: 1, kind: 'novel' })); //! TS2322 // Move this status to the errors of the route.
export const success = post({ errors: { 200: Book, 404: Book } }, () => 1); //! TS2322 // Move this status to the response of the route.
export const t = post({ body: Book, deprecated: 'yes' }, () => 1); //! TS2322 // Type 'string' is not assignable to type 'boolean
export const u = post({ response: Book }, () => null); //! TS2322 // Type 'null' is not assignable to type
export const v = post({ response: { 205: Book } }, () => ({ id: 1, kind: 'novel' })); //! TS2322 // is not assignable to type 'null
export const w = get({ response: Book }, () => ({})); //! TS2322 // Type '{}' is not assignable to type
throw error('400', 'text'); //! TS2345 // Argument of type 'string' is not assignable to parameter of type 'number'
`,
  'src/lib/wrong-script.js': `import { error, get, post } from 'fwkit';
import { z } from 'zod';
const Book = z.object({ id: z.number(), kind: z.enum(['novel', 'poem']) });
const Why = z.object({ why: z.string() });
export const a = post({ bodyy: Book }, (req) => req.path); //! TS2561 // 'bodyy' does not exist in type 'Definition
export const b = post({ body: 7 }, (req) => req.path); //! TS2322 // Type 'number' is not assignable to type 'StandardSchema
export const ofGet = get({ body: Book }, (req) => req.path); //! TS2322 // $strip>' is not assignable to type '
export const c = post({ body: Book }, ({ body }) => body.kinds); //! TS2551 // Property 'kinds' does not exist
export const d = get({ response: Book }, () => ({ id: 'one', kind: 'novel' })); //! TS2322 // Type 'string' is not assignable to type 'number'
export const e = post({ response: Book }, () => {}); //! TS2345 // Type 'void' is not assignable to type
export const f = get({ response: Book, errors: { 404: Why } }, () => error(409, { why: 'x' })); //! TS2322 // Declare this status in the errors of the route.
export const g = get({ errors: { 700: Book } }, () => 1); //! TS2353 // '700' does not exist in type 'Errors'
export const h = get((req) => req.params.nope); //! TS2339 // Property 'nope' does not exist
export const i = post(() => 1, { body: Book }); //! TS2559 // has no properties in common with type 'Definition
`,
};
