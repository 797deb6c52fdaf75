import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { copyOf } from '../../examples/example.js';
import { dev, fwk } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { type Files, project } from '../../harness/project.js';
import { assertReported, refusal } from '../../harness/refusal.js';
import { unsampled } from '../../harness/sample.js';
import { configFile, middleware, module, tells } from '../../harness/source.js';
import { checked } from '../http/validation-project.js';
import { Judged } from './tools.js';

// The parts of a document that a project writes itself, in `.meta({ openapi })` and in the options.

const files: Files = {
  'fwk.config.ts': configFile(`{
    openapi: {
      serve: true,
      path: '/docs/public.json',
      page: '/docs',
      license: { name: 'Shop terms', url: 'https://shop.test/terms' },
      servers: [{ url: 'https://api.shop.test' }],
      tags: [{ name: 'books', description: 'Books and authors' }],
      routes: ['/api', '!/api/internal'],
      security: {
        key: { type: 'apiKey', in: 'header', name: 'x-key' },
        oauth: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: 'https://shop.test/token', scopes: { 'books:write': 'Change books' } } } },
      },
      documents: { internal: { path: '/internal/v1/api.json', page: '/internal/v1/docs', title: 'Internal', tags: [] } },
      edit(document, name) {
        document['x-audience'] = name ?? 'public';
        for (const item of Object.values(document.paths)) item.parameters = [];
      },
    },
  }`),
  'package.json': JSON.stringify({ type: 'module', name: 'shop', version: '1.0.0' }),
  'api/books/_middleware.ts': `export const security = ['key'];\n${middleware('(req, res, ctx, next) => next()')}`,
  'api/books.post.ts': checked(
    'post',
    `{
      tags: ['books'],
      security: [{ key: [], oauth: ['books:write'] }, 'key'],
      body: z.object({ title: z.string().meta({ examples: ['Emma'] }) }),
      response: { 201: z.object({ id: z.number() }) },
    }`,
    '({ body }, res) => { res.status(201); return { id: 1 }; }',
  ).replace(
    /;\s*$/,
    `.meta({ openapi: {
      operationId: 'addBook',
      requestBody: { content: { 'application/json': { examples: { emma: { value: { title: 'Emma' } } } } } },
      responses: {
        201: { headers: { Location: { description: 'The new book', schema: { type: 'string' } } } },
        409: { content: { 'application/json': { schema: { type: 'object' }, example: { by: 'ada' } } } },
        422: { description: 'The title is missing' },
      },
      'x-cost': 2,
    } });\n`,
  ),
  'api/books/export.get.ts': module(
    'get',
    `export default get(() => 'a;b').meta({ openapi: { responses: {
      '2XX': null,
      200: { description: 'A table', content: { 'text/csv': { schema: { type: 'string' }, example: 'a;b' } } },
    } } });`,
  ),
  'api/import.post.ts': checked('post', '{ body: z.object({ a: z.number() }) }', '() => {}').replace(
    /;\s*$/,
    `.meta({ openapi: { requestBody: { content: { 'application/json': null, 'text/csv': { schema: { type: 'string' } } } } } });\n`,
  ),
  'api/add/book.post.ts': tells('post', 'x'),
  'api/internal/stats.get.ts': tells('get', 'stats'),
};

interface Operation {
  readonly operationId: string;
  readonly security?: object;
  readonly requestBody: { readonly content: object };
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly [key: string]: unknown }>>;
}
interface Document {
  readonly info: object;
  readonly tags?: object;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly [key: string]: unknown;
}

/** The examples with their packages. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  bookshop: ['libsql', 'zod'],
  chat: ['zod', '@redis/client'],
  'file-drop': [],
  'mcp-licenses': ['zod', 'jose', 'spdx-license-list'],
};

const test = suite('openapi of your own');
const made = project(files);
linkLibraries(made);
const printed = async (...name: string[]): Promise<Document> => {
  const { status, stdout, stderr } = await fwk(made, 'routes', '--openapi', ...name);
  assert.equal({ status, stderr }, { status: 0, stderr: '' });
  return JSON.parse(stdout) as Document;
};

test('an operation has the id, headers, media types and examples of .meta()', async () => {
  const { paths } = await printed();
  const added = paths['/api/books']?.post;
  assert.is(added?.operationId, 'addBook');
  assert.is((added as object as { 'x-cost': number })['x-cost'], 2);
  assert.equal(added?.security, [{ key: [], oauth: ['books:write'] }, { key: [] }]);
  const content = added?.requestBody.content as { 'application/json': { schema: object; examples: object } };
  assert.equal(Object.keys(content['application/json']), ['schema', 'examples']);
  assert.match(JSON.stringify(content['application/json'].schema), '"examples":["Emma"]');
  const { 201: created, 409: conflict, 422: invalid } = added?.responses ?? {};
  assert.equal(created?.headers, { Location: { description: 'The new book', schema: { type: 'string' } } });
  assert.equal(conflict, {
    description: 'Conflict',
    content: { 'application/json': { schema: { type: 'object' }, example: { by: 'ada' } } },
  });
  assert.equal(
    [invalid?.description, Object.keys(invalid?.content ?? {}), invalid?.$ref],
    ['The title is missing', ['application/problem+json'], undefined],
  );
  const exported = paths['/api/books/export']?.get;
  assert.equal(exported?.security, [{ key: [] }]);
  assert.equal(Object.keys(exported?.responses ?? {}), ['200', '4XX', 'default']);
  assert.equal(Object.keys(exported?.responses[200]?.content as object), ['text/csv']);
  assert.equal(Object.keys(paths['/api/import']?.post?.requestBody.content ?? {}), ['text/csv']);
});

test('each document has its routes, tags and title, and is edited', async () => {
  const [open, internal] = [await printed(), await printed('internal')];
  assert.not(Object.keys(open.paths).includes('/api/internal/stats'));
  assert.ok(Object.keys(internal.paths).includes('/api/internal/stats'));
  assert.equal(open.tags, [{ name: 'books', description: 'Books and authors' }]);
  assert.equal(
    [internal.tags, open['x-audience'], internal['x-audience']],
    [undefined, 'public', 'internal'],
  );
  assert.equal(open.info, {
    title: 'shop',
    version: '1.0.0',
    license: { name: 'Shop terms', url: 'https://shop.test/terms' },
  });
  assert.equal({ ...internal.info }, { ...open.info, title: 'Internal' });
  assert.match(
    await refusal(made, 'routes', '--openapi', 'intern'),
    'has no document "intern" in openapi.documents',
  );
});

test('documents and pages are served at their paths', async () => {
  const server = await dev(made);
  try {
    const json = async (at: string) => (await (await server.fetch(at)).json()) as Document;
    assert.is((await json('/docs/public.json'))['x-audience'], 'public');
    assert.is((await json('/internal/v1/api.json'))['x-audience'], 'internal');
    assert.match(await (await server.fetch('/docs')).text(), /href="\.\/docs\/public\.json"/);
    const page = await (await server.fetch('/internal/v1/docs')).text();
    assert.match(page, /data-root="\.\.\/\.\.\/"/);
    assert.match(page, /href="\.\.\/\.\.\/internal\/v1\/api\.json"/);
    assert.is((await server.fetch('/openapi.json')).status, 404);
    const usual = await server.fetch('/_fwk/docs', { redirect: 'manual' });
    assert.equal([usual.status, usual.headers.get('location')], [302, '../docs']);
  } finally {
    await server.stop();
  }
});

test('reports wrong values of .meta() and of the options, one sentence each', async () => {
  const meta = (value: string) => module('get', `export default get(() => 1).meta({ openapi: ${value} });`);
  const wrong = project({
    'fwk.config.ts': configFile(
      `{ openapi: { page: '/openapi.json', security: { oauth: { type: 'oauth2', flows: { implicit: { scopes: { read: '' } } } } } } }`,
    ),
    'api/a.get.ts': meta('true'),
    'api/b.get.ts': meta(`{ summary: 'x' }`),
    'api/c.get.ts': meta(`{ operationId: 'a b' }`),
    'api/d.get.ts': meta(`{ operationId: 'same' }`),
    'api/e.get.ts': meta(`{ operationId: 'same' }`),
    'api/f.get.ts': meta(`{ responses: { ok: {} } }`),
    'api/g.get.ts': meta(`{ responses: { 200: { headers: { 'X-A': 'text' } } } }`),
    'api/h.ts': module('all', `export default all(() => 1).meta({ openapi: { operationId: 'h' } });`),
    'api/i.get.ts': module('get', `export default get({ security: [{ oauth: ['write'] }] }, () => 1);`),
  });
  const told = await refusal(wrong, 'routes');
  for (const [file, message] of Object.entries({
    'api/a.get.ts': 'has .meta({ openapi: true }). Make it false, an object, or leave it out.',
    'api/b.get.ts':
      'has .meta({ openapi }) with the unknown key "summary". The keys are operationId, requestBody, responses, externalDocs, servers and x-….',
    'api/c.get.ts': 'has the operationId "a b". Use letters, digits, "_", "-" and "." in an operationId.',
    'api/e.get.ts':
      'has the operationId "same", and so has another route. Give each route an operationId of its own.',
    'api/f.get.ts':
      'has .meta({ openapi }) with the response "ok". Use a status code, such as 200 or 2XX, or default.',
    'api/g.get.ts': 'has .meta({ openapi }), in which "responses.200.headers.X-A" is not an object.',
    'api/h.ts':
      'has an operationId, but all() is several operations. Remove it, or use a wrapper for one method.',
    'api/i.get.ts':
      'names the scope "write", but the flows of openapi.security.oauth in fwk.config have "read". Add "write" there, or correct the name.',
  }))
    assertReported(told, wrong, file, message);
  assert.match(
    told,
    'has two documents or pages at "/openapi.json" in "openapi". Give each a path of its own.',
  );
  for (const [option, expected] of [
    [`{ path: 'openapi.json' }`, 'a path such as "/internal/openapi.json"'],
    [`{ tags: ['books'] }`, 'a list of tags, such as'],
    [`{ license: { url: 'x' } }`, 'a name, or an object such as'],
    [`{ routes: ['api'] }`, 'a list of paths, such as'],
    [`{ edit: {} }`, 'a function that changes the document'],
    [`{ documents: { a: { page: '/a' } } }`, 'an object of documents by name'],
    [`{ documents: { a: { path: '/a', nope: 1 } } }`, 'an object of documents by name'],
  ] as const) {
    wrong.write('fwk.config.ts', configFile(`{ openapi: ${option} }`));
    assert.match(await refusal(wrong, 'routes'), expected);
  }
});

unsampled(test)('the rules of Redocly find no problem, in no example either', async () => {
  for (const name of [[], ['internal']])
    assert.equal(await new Judged(JSON.stringify(await printed(...name))).verdict(), {
      valid: true,
      problems: [],
    });
  for (const [name, packages] of Object.entries(EXAMPLES)) {
    const { status, stdout, stderr } = await fwk(copyOf(name, packages), 'routes', '--openapi');
    assert.equal({ name, status, stderr }, { name, status: 0, stderr: '' });
    assert.equal(
      { name, ...Object(await new Judged(stdout).verdict()) },
      { name, valid: true, problems: [] },
    );
  }
});

test.run();
