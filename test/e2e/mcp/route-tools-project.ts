import type { Files } from '../../harness/project.js';

/** A route module with all that its schemas may be made with. */
export const route = (method: string, definition: string, handler: string): string =>
  `import { error, ${method} } from 'fwkit';
import { z } from 'zod';
export default ${method}(${definition}, ${handler});
`;

/** A project without `mcp/` in which some routes are tools. */
export const toolRoutes: Files = {
  'middlewares/address.ts': `import { middleware } from 'fwkit';
export default middleware((req, res, ctx, next) => {
  res.header('X-Route', String(req.route.path));
  return next();
});`,
  'api/notes/_middleware.ts': `import { error, middleware } from 'fwkit';
export default middleware((req, res, ctx, next) => {
  if (req.header('x-tenant') === 'closed') throw error(403, 'This tenant is closed');
  return next();
});`,
  'api/notes/[id].post.ts': route(
    'post',
    `{
  title: 'Write a note',
  description: 'Writes a note.',
  params: z.object({ id: z.number().int().positive() }),
  query: z.object({ tag: z.array(z.string()).optional(), dry: z.boolean().optional() }),
  body: z.object({ text: z.string().min(2), by: z.string().default('nobody') }),
  response: z.object({ id: z.number(), text: z.string(), by: z.string(), tags: z.array(z.string()), at: z.date() }),
  errors: { 409: z.object({ by: z.string() }) },
  tool: true,
}`,
    `({ params, query, body }) => {
  if (body.text === 'taken') return error(409, { by: body.by });
  return { id: params.id, text: body.text, by: body.by, tags: query.tag ?? [], at: new Date(0), secret: 'hidden' };
}`,
  ),
  'api/notes/[id].get.ts': route(
    'get',
    `{ tool: { description: 'One note.' } }`,
    `({ params }) => (params.id === '9' ? null : 'note ' + params.id)`,
  ),
  'api/files/[...path].get.ts': route(
    'get',
    `{ tool: { name: 'file' } }`,
    `({ params }, res) => res.type('image/png').send(Buffer.from(params.path))`,
  ),
  'api/account/_middleware.ts': `import { error, middleware } from 'fwkit';
export default middleware((req, res, ctx, next) => {
  const { authorization } = req.headers;
  if (authorization !== 'Bearer ada' && req.cookies.user !== 'ada') throw error(401, 'Log in first');
  return next();
});`,
  'api/account/index.get.ts': route(
    'get',
    `{ query: z.object({ verbose: z.boolean().optional() }), response: z.object({ user: z.string(), ip: z.boolean(), host: z.string() }), tool: true }`,
    `(req, res) => {
  res.cookie('seen', '1');
  return { user: 'ada', ip: req.ip !== '', host: req.url.host };
}`,
  ),
  'api/account/index.del.ts': route('del', `{ tool: true }`, `(req, res) => void res.status(204)`),
  'api/fail.post.ts': route('post', `{ tool: true }`, `() => { throw new Error('the secret reason'); }`),
  'api/away.post.ts': route('post', `{ tool: true }`, `(req, res) => res.redirect('/login', 303)`),
  'api/large.get.ts': route('get', `{ tool: true }`, `() => 'x'.repeat(5_000_000)`),
  'api/slow.put.ts': route(
    'put',
    `{ body: z.object({ word: z.string() }), tool: true }`,
    `async (req, res, ctx) => {
  console.error('waits', req.body.word);
  await new Promise((resolve) => req.signal.addEventListener('abort', resolve));
  console.error('stopped', req.body.word);
}`,
  ),
  'api/plain.get.ts': `import { get } from 'fwkit';\nexport default get(() => 'no tool');\n`,
};
