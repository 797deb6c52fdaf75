import type { Files } from '../../harness/project.js';
import { configFile, module, tells, wsModule } from '../../harness/source.js';
import { checked, schemas } from '../http/validation-project.js';

// Sixty routes: the same resource in three libraries, and a route for each feature of the document.

interface Library {
  readonly item: string;
  readonly draft: string;
  readonly id: string;
  readonly list: string;
  readonly tree: string;
  readonly taken: string;
  readonly headers: string;
}

const LIBRARIES: Readonly<Record<string, Library>> = {
  zod: {
    item: `z.object({ id: z.number(), title: z.string(), kind: z.enum(['novel', 'poem']), at: z.date(), note: z.string().nullable() }).meta({ id: 'Book', title: 'A book' })`,
    draft: `z.object({ title: z.string().min(1), kind: z.enum(['novel', 'poem']).default('novel'), pages: z.int().optional() })`,
    id: `z.object({ id: z.number().meta({ description: 'The number of the book' }) })`,
    list: `z.object({ page: z.int().default(1), tags: z.array(z.string()).optional(), free: z.boolean().optional() })`,
    tree: `(() => { const Node = z.object({ name: z.string(), get parts() { return z.array(Node); } }); return Node; })()`,
    taken: `z.object({ by: z.string() })`,
    headers: `z.object({ 'x-trace': z.string().optional() })`,
  },
  valibot: {
    item: `j(v.object({ id: v.number(), title: v.string(), kind: v.picklist(['novel', 'poem']), at: v.date(), note: v.nullable(v.string()) }))`,
    draft: `j(v.object({ title: v.pipe(v.string(), v.minLength(1)), kind: v.optional(v.picklist(['novel', 'poem']), 'novel'), pages: v.optional(v.pipe(v.number(), v.integer())) }))`,
    id: `j(v.object({ id: v.number() }))`,
    list: `j(v.object({ page: v.optional(v.number(), 1), tags: v.optional(v.array(v.string())), free: v.optional(v.boolean()) }))`,
    tree: `(() => { const Node = v.object({ name: v.string(), parts: v.array(v.lazy(() => Node)) }); return j(Node); })()`,
    taken: `j(v.object({ by: v.string() }))`,
    headers: `j(v.object({ 'x-trace': v.optional(v.string()) }))`,
  },
  arktype: {
    item: `type({ id: 'number', title: 'string', kind: "'novel' | 'poem'", at: 'Date', note: 'string | null' })`,
    draft: `type({ title: 'string >= 1', kind: "'novel' | 'poem' = 'novel'", 'pages?': 'number.integer' })`,
    id: `type({ id: 'number' })`,
    list: `type({ page: 'number = 1', 'tags?': 'string[]', 'free?': 'boolean' })`,
    tree: `type.module({ node: { name: 'string', parts: 'node[]' } }).node`,
    taken: `type({ by: 'string' })`,
    headers: `type({ 'x-trace?': 'string' })`,
  },
};

const item = (id: string, title: string): string =>
  `({ id: ${id}, title: ${title}, kind: 'novel', at: new Date(0), note: null })`;

function routesOf(name: string, lib: Library): Files {
  const base = `api/v1/${name}`;
  const file = (path: string, method: string, definition: string, handler: string): [string, string] => [
    `${base}${path}.${method}.ts`,
    schemas(
      `${method}, error`,
      `const j = toStandardJsonSchema;\nexport default ${method}({ ${definition} }, ${handler});`,
    ),
  ];
  const books = (path: string): [string, string][] => [
    file(
      `${path}/index`,
      'get',
      `query: ${lib.list}, response: ${lib.item.replace(/^/, '')}, tags: ['${name}']`,
      `({ query }) => ${item('query.page', "String(query.tags ?? 'none')")}`,
    ),
    file(
      `${path}/index`,
      'post',
      `body: ${lib.draft}, response: { 201: ${lib.item} }, errors: { 409: ${lib.taken} }, title: 'Add a book'`,
      `({ body }, res) => body.title === 'taken' ? error(409, { by: 'ada' }) : (res.status(201), ${item('7', 'body.title')})`,
    ),
    file(
      `${path}/[id]`,
      'get',
      `params: ${lib.id}, response: ${lib.item}`,
      `({ params }) => ${item('params.id', "'one'")}`,
    ),
    file(
      `${path}/[id]`,
      'put',
      `params: ${lib.id}, headers: ${lib.headers}, body: ${lib.draft}, response: ${lib.item}`,
      `({ params, body }) => ${item('params.id', 'body.title')}`,
    ),
    file(
      `${path}/[id]`,
      'patch',
      `params: ${lib.id}, body: ${lib.draft}, response: ${lib.item}, deprecated: true`,
      `({ params }) => ${item('params.id', "'x'")}`,
    ),
    file(`${path}/[id]`, 'del', `params: ${lib.id}, response: { 204: null }`, '() => {}'),
  ];
  return Object.fromEntries([
    ...books('/books'),
    ...books('/shelves/[shelf]/books').filter(([path]) => !path.includes('[id]')),
    ...books('/old-books'),
    file(
      '/tree',
      'get',
      `response: ${lib.tree}`,
      "() => ({ name: 'root', parts: [{ name: 'leaf', parts: [] }] })",
    ),
    file('/tree', 'post', `body: ${lib.tree}, response: ${lib.tree}`, '({ body }) => body'),
  ]);
}

const metaOf = (meta: string, definition: string): string =>
  checked('get', definition, '() => 1').replace(/;\n$/, `.meta({ ${meta} });\n`);

const SPECIAL: Files = {
  'fwk.config.ts': configFile(`{ openapi: {
      description: 'Books in three libraries.',
      security: { session: { type: 'apiKey', in: 'cookie', name: 'session' }, token: { type: 'http', scheme: 'bearer' } },
    } }`),
  'package.json': JSON.stringify({
    name: 'sixty',
    version: '1.2.3',
    license: 'MIT',
    private: true,
    type: 'module',
  }),
  'api/plain.get.ts': tells('get', 'plain'),
  'api/things/[thing].get.ts': tells('get', 'thing'),
  'api/things/[id].post.ts': checked('post', '{ params: z.object({ id: z.string() }) }', '() => null'),
  'api/files/[...rest].get.ts': tells('get', 'rest'),
  'api/both/[one].get.ts': tells('get', 'one'),
  'api/both/[...all].get.ts': tells('get', 'all'),
  'api/both/[...all].post.ts': tells('post', 'all'),
  'api/any.ts': module('all', 'export default all(() => null);'),
  'api/any.post.ts': module('post', 'export default post(() => null);'),
  'api/a-b.get.ts': tells('get', 'a-b'),
  'api/a/b.get.ts': tells('get', 'a/b'),
  'api/käse {x}.get.ts': tells('get', 'cheese'),
  'api/limited.get.ts': metaOf('rateLimit: { limit: 1000 }', '{}'),
  'api/limited/own.get.ts': metaOf(
    'rateLimit: { limit: 1000 }',
    '{ errors: { 429: z.object({ own: z.boolean() }) } }',
  ),
  'api/cached.get.ts': metaOf('cache: { maxAge: 60, swr: 5 }', '{ response: z.number() }'),
  'api/slow.get.ts': metaOf('timeout: 60_000', '{}'),
  'api/stream.post.ts': module('post', `export default post(() => null).meta({ body: 'stream' });`),
  'api/events.get.ts': checked(
    'sse',
    '{ query: z.object({ from: z.number().default(1) }), events: { message: z.object({ n: z.number() }), closed: z.string() } }',
    '({ req, send }) => { void send({ n: req.query.from }); return () => {}; }',
  ),
  'api/upload.post.ts': checked(
    'post',
    `{ body: z.object({ name: z.string(), file: z.file() }), description: 'Takes a <script>alert(1)</script> file.' }`,
    'async ({ body }) => ({ name: body.name, text: await body.file.text() })',
  ),
  'api/untold.get.ts': checked(
    'get',
    '{ query: v.object({ n: v.optional(v.string()) }), response: { 200: v.object({}) } }',
    '() => ({})',
  ),
  'api/secret/_middleware.ts': module(
    'middleware',
    `export const security = ['session'];\nexport default middleware((req, res, ctx, next) => next());`,
  ),
  'api/secret/a.get.ts': tells('get', 'a'),
  'api/secret/b.get.ts': checked(
    'get',
    `{ security: ['token', 'session'], errors: { 401: z.object({ message: z.string() }) } }`,
    '() => 1',
  ),
  'api/secret/open.get.ts': checked('get', '{ security: [] }', '() => 1'),
  'web/index.get.ts': tells('get', 'a page'),
  'api/internal.post.ts':
    "import { post } from 'fwkit'; export default post(() => 'done').meta({ openapi: false });",
  'web/login.post.ts': checked(
    'post',
    `{ body: z.object({ name: z.string() }), errors: { 422: z.object({ own: z.boolean() }) } }`,
    '({ body }) => body',
  ),
  'ws/room.ts': wsModule('() => {}'),
};

/** Sixty routes and more. */
export const FIXTURE: Files = {
  ...Object.assign({}, ...Object.entries(LIBRARIES).map(([name, library]) => routesOf(name, library))),
  ...SPECIAL,
};
