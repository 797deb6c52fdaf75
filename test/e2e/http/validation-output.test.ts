import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev, fwk } from '../../harness/fwk.js';
import { request } from '../../harness/http.js';
import { linkLibraries } from '../../harness/libraries.js';
import { production } from '../../harness/production.js';
import { project } from '../../harness/project.js';
import { MARKS_THROWN } from '../../harness/source.js';
import { checked, everywhere, schemas } from './validation-project.js';

const book = `z.object({ id: z.number(), at: z.date().transform((at) => at.toISOString()), note: z.string().default('none') })`;
const BAD = '() => ({ n: "hunter2" })';
const files = {
  'api/book.get.ts': checked(
    'get',
    `{ response: ${book} }`,
    `() => ({ id: 1, at: new Date(0), passwordHash: 'x' })`,
  ),
  'api/bad.get.ts': checked('get', `{ response: z.object({ n: z.number() }) }`, BAD),
  'api/worse.get.ts': checked('get', `{ response: v.object({ n: v.number() }) }`, BAD),
  'api/nothing.get.ts': checked('get', '{ response: z.object({}) }', '() => {}'),
  'api/null.get.ts': checked('get', `{ response: ${book} }`, '() => null'),
  'api/null.post.ts': checked('post', '{ response: z.null() }', '() => null'),
  'api/late.get.ts': checked(
    'get',
    '{ response: z.object({ n: z.number().refine(async (n) => n > 0) }) }',
    'async ({ query }) => ({ n: Number(query.n) })',
  ),
  'api/unchecked.get.ts': checked('get', `{ response: z.object({ n: z.number() }) }`, BAD).replace(
    /;\n$/,
    '.meta({ checkResponse: false });\n',
  ),
  'api/by.post.ts': checked(
    'post',
    `{ response: { 200: z.object({ a: z.number() }), 201: z.object({ b: z.number() }), 202: null, 204: null } }`,
    `({ query }, res) => {
      if (query.status) res.status(Number(query.status));
      return query.body === undefined ? undefined : JSON.parse(query.body);
    }`,
  ),
  'api/by-hand.get.ts': checked(
    'get',
    '{ response: z.object({}) }',
    `(req, res) => res.json({ by: 'hand' })`,
  ),
  'api/fails.get.ts': checked(
    'get, error',
    `{ errors: { 409: z.object({ by: z.string(), at: z.date().transform(() => 'then') }), 410: z.object({ n: z.number() }) } }`,
    `async ({ query }) => {
      const body = { by: 'ada', at: new Date(), secret: 'x', n: 'hunter2' };
      if (query.thrown) throw error(Number(query.status), body);
      return error(Number(query.status), body);
    }`,
  ),
  'api/checked.get.ts': checked(
    'get, error',
    '{ response: z.object({}) }',
    `() => error(418, { tea: true })`,
  ),
  'web/web.get.ts': checked(
    'get, error',
    `{ headers: z.object({ 'x-n': z.string() }).transform(() => null) }`,
    `({ query }) => { if (query.crash) throw new Error('crash'); return error(403, 'no'); }`,
  ),
  'api/seen/_middleware.ts': schemas('isHttpError, middleware', MARKS_THROWN),
  'api/seen/checked.put.ts': checked('put, error', '{ body: z.any() }', `() => error(403, 'no')`),
};

everywhere(files, (test, raw) => {
  test('sends only the output of the schema', async () => {
    assert.equal((await raw('/api/book')).json, { id: 1, at: '1970-01-01T00:00:00.000Z', note: 'none' });
    assert.equal((await raw('/api/late?n=1')).json, { n: 1 });
  });

  test('a response that does not match is a 500, and none of it is sent', async () => {
    for (const path of ['bad', 'worse', 'nothing', 'late?n=0']) {
      const answer = await raw(`/api/${path}`);
      assert.is(answer.status, 500, path);
      assert.not.match(answer.text, 'hunter2');
    }
    assert.equal((await raw('/api/unchecked')).json, { n: 'hunter2' });
  });

  test('null is a 404 for GET and a value for POST', async () => {
    assert.is((await raw('/api/null')).status, 404);
    assert.is((await raw('/api/null', { method: 'POST' })).status, 204);
    assert.is((await raw('/api/by-hand')).text, '{"by":"hand"}');
  });

  test('each status has its own schema', async () => {
    const post = (query: string) => raw(`/api/by?${query}`, { method: 'POST' });
    assert.equal((await post('body={"a":1,"b":2}')).json, { a: 1 });
    assert.equal((await post('status=201&body={"a":1,"b":2}')).json, { b: 2 });
    assert.is((await post('status=202')).status, 202);
    assert.is((await post('')).status, 204);
    for (const wrong of ['body={"b":2}', 'status=203&body={"a":1}', 'status=202&body={"a":1}', 'status=201'])
      assert.is((await post(wrong)).status, 500, wrong);
  });

  test('a returned error is treated as thrown', async () => {
    assert.is((await raw('/api/checked')).status, 418);
    const seen = await raw('/api/seen/checked', { method: 'PUT' });
    assert.equal([seen.status, seen.headers['x-seen'], seen.json], [403, '403', { message: 'no' }]);
  });

  test('an error uses the format that the client accepts, even if a schema changes the headers', async () => {
    for (const [query, status] of [
      ['', 403],
      ['?crash=1', 500],
    ] as const) {
      const sent = { 'x-n': 'n', accept: 'text/html' };
      const page = await raw(`/web${query}`, { headers: sent });
      assert.is(page.status, status);
      assert.match(String(page.headers['content-type']), /^text\/html\b/);
    }
  });

  test('the schema transforms the body of an error', async () => {
    for (const how of ['', '&thrown=1']) {
      const declared = await raw(`/api/fails?status=409${how}`);
      assert.equal([declared.status, declared.json], [409, { by: 'ada', at: 'then' }]);
      const wrong = await raw(`/api/fails?status=410${how}`);
      assert.is(wrong.status, 500);
      assert.not.match(wrong.text, 'hunter2');
      const undeclared = await raw(`/api/fails?status=418${how}`);
      assert.equal([undeclared.status, (undeclared.json as { by: string }).by], [418, 'ada']);
    }
  });
});

const test = suite('logs and options');

test('the log names route, file and issue, and an undeclared error once', async () => {
  const made = project(files);
  linkLibraries(made);
  const server = await dev(made);
  await request(server.url, '/api/bad');
  const label = made.label('api/bad.get.ts').replace(/[.[\]]/g, '\\$&');
  await server.waitFor(
    new RegExp(
      `GET /api/bad failed in ${label}:[\\s\\S]*"response" of the status 200 rejects the result of the handler: n: `,
    ),
  );
  await request(server.url, '/api/worse');
  await server.waitFor(/GET \/api\/worse: "response" [^\n]*: n: Invalid type: Expected number\n/);
  for (let count = 0; count < 3; count++) await request(server.url, '/api/fails?status=418');
  await request(server.url, '/api/by?status=203', { method: 'POST' });
  await server.waitFor(
    /"response" does not declare the status 203\. It declares 200, 201, 202, 204: set one of these with res\.status\(\), or add 203 to it/,
  );
  await server.stop();
  assert.is(server.output.all.split('responds with 418, which its "errors" do not declare').length, 2);
  assert.not.match(server.output.all, 'hunter2');
  // The stack of the check does not show where the result was made.
  assert.not.match(server.output.all, /^ +at /m);
});

test('http.checkResponses: false sends results unchecked, except on routes that override it', async () => {
  const config = `import { defineConfig } from 'fwkit';\nexport default defineConfig({ http: { checkResponses: false } });\n`;
  const strict = checked('get', `{ response: z.object({ n: z.number() }) }`, BAD).replace(
    /;\n$/,
    '.meta({ checkResponse: true });\n',
  );
  const server = await production(
    { ...files, 'fwk.config.ts': config, 'api/strict.get.ts': strict },
    linkLibraries,
  );
  assert.equal((await server.raw('/api/bad')).json, { n: 'hunter2' });
  assert.is((await server.raw('/api/fails?status=409')).status, 409);
  assert.match((await server.raw('/api/fails?status=409')).text, 'secret');
  assert.is((await server.raw('/api/strict')).status, 500);
  await server.stop();
});

test('reports an unknown option', async () => {
  const wrong = {
    'api/a.get.ts': `import { get } from 'fwkit';\nexport default get({}, () => 1).meta({ checkResponse: 'no' });\n`,
  };
  const { status, stderr } = await fwk(project(wrong, 'js'), 'routes');
  assert.is(status, 1);
  assert.match(stderr, 'has .meta({ checkResponse: "no" }). Make it true or false');
});

test.run();
