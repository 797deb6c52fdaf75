import * as assert from 'uvu/assert';
import { checked, everywhere, json, schemas } from './validation-project.js';

interface Issue {
  in: string;
  path: (string | number)[];
  message: string;
}

const issuesOf = (answer: { json: unknown }): Issue[] => (answer.json as { errors: Issue[] }).errors;
const places = (answer: { json: unknown }) => issuesOf(answer).map((one) => [one.in, ...one.path].join('.'));

const echo = '({ params, query, body }) => ({ params, query, body })';
const files = {
  'api/books/[id].post.ts': checked(
    'post',
    `{
      params: z.object({ id: z.number().int() }),
      query: z.object({ page: z.number().default(1), tag: z.array(z.string()).default([]) }),
      headers: z.object({ 'x-count': z.number().optional() }),
      body: z.object({ title: z.string(), author: z.object({ names: z.array(z.string()) }).optional() }),
    }`,
    '({ params, query, headers, body }) => ({ params, query, headers, body })',
  ),
  'api/zod.post.ts': checked('post', `{ body: z.object({ name: z.string().min(3), n: z.number() }) }`, echo),
  'api/valibot.post.ts': checked(
    'post',
    `{ body: v.object({ name: v.pipe(v.string(), v.minLength(3), v.email()), n: v.number() }) }`,
    echo,
  ),
  'api/arktype.post.ts': checked('post', `{ body: type({ name: 'string.email', n: 'number' }) }`, echo),
  'api/many.post.ts': checked('post', '{ body: z.array(z.number()) }', echo),
  'api/strict.post.ts': checked('post', '{ body: z.strictObject({ n: z.number() }) }', echo),
  'api/later.post.ts': checked(
    'post',
    `{
      query: z.object({ q: z.string() }).refine(async () => true),
      body: z.object({ name: z.string().refine(async (name) => { await null; return name !== 'ada'; }, 'is taken') }),
    }`,
    echo,
  ),
  'api/optional.post.ts': checked(
    'post',
    '{ body: z.object({ n: z.number() }).optional() }',
    '({ body }) => ({ body: body ?? null })',
  ),
  'api/small.post.ts': checked('post', '{ body: z.any() }', echo).replace(
    /;\n$/,
    '.meta({ bodyLimit: 5 });\n',
  ),
  'api/empty.post.ts': checked('post', '{}', '(req) => ({ body: req.body })'),
  'web/form.post.ts': checked('post', `{ body: z.object({ '<name>': z.string().min(3) }) }`, echo),
  'api/seen/_middleware.ts': schemas(
    'isHttpError, middleware',
    `export default middleware(async (req, res, ctx, next) => {
      const before = { ...req.query };
      try {
        const result = await next();
        return { before, after: req.query, result };
      } catch (thrown) {
        if (!isHttpError(thrown)) throw thrown;
        res.status(thrown.status);
        return { status: thrown.status, errors: thrown.body.errors };
      }
    });`,
  ),
  'api/seen/get.ts': checked('get', '{ query: z.object({ n: z.number() }) }', '({ query }) => query.n + 1'),
  'api/raw.get.ts': checked(
    'get',
    `{ query: z.unknown(), headers: z.unknown() }`,
    `({ query, headers, header }) => [query, headers].map((one) => [Object.getPrototypeOf(one), Object.keys(one)])`,
  ),
};

everywhere(files, (test, raw) => {
  test('a handler gets the output of the schemas', async () => {
    const answer = await raw('/api/books/7?page=2&tag=a&tag=b', {
      ...json({ title: 'Emma', surplus: 1 }),
      headers: { 'content-type': 'application/json', 'x-count': '3' },
    });
    assert.equal(answer.json, {
      params: { id: 7 },
      query: { page: 2, tag: ['a', 'b'] },
      headers: { 'x-count': 3 },
      body: { title: 'Emma' },
    });
  });

  test('a 422 has at most 100 issues of each part', async () => {
    const answer = await raw('/api/many', json(Array.from({ length: 10_000 }, () => '')));
    assert.is(answer.status, 422);
    assert.is(issuesOf(answer).length, 100);
  });

  test('a 422 has the issues of all parts, each with its path', async () => {
    const sent = json({ title: 7, author: { names: ['a', 8] } });
    const answer = await raw('/api/books/seven?page=x', sent);
    assert.is(answer.status, 422);
    assert.match(String(answer.headers['content-type']), /^application\/problem\+json\b/);
    const { errors, ...problem } = answer.json as { errors: Issue[] };
    assert.equal(problem, {
      status: 422,
      title: 'Unprocessable Entity',
      message: 'The request is invalid',
    });
    assert.equal(places(answer), ['params.id', 'query.page', 'body.title', 'body.author.names.1']);
    assert.equal(
      errors.map((one) => Object.keys(one)),
      errors.map(() => ['in', 'path', 'message']),
    );
    assert.is(errors[3]?.path[2], 1);
  });

  test('a page shows the issues, too', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
    const { status, text } = await raw('/form', { method: 'POST', headers, body: '%3Cname%3E=no' });
    assert.is(status, 422);
    assert.match(text, /<li>body\.&lt;name&gt;: \S.+/);
  });

  test('supports every library, and returns no input value', async () => {
    for (const name of ['zod', 'valibot', 'arktype']) {
      const good = { name: 'ada@example.org', n: 1 };
      assert.equal((await raw(`/api/${name}`, json(good))).json, { params: {}, query: {}, body: good });
      const secret = await raw(`/api/${name}`, json({ name: name === 'zod' ? 5 : 'hunter2', n: 'hunter2' }));
      assert.is(secret.status, 422);
      assert.equal(places(secret).sort(), ['body.n', 'body.name'], name);
      assert.not.match(secret.text, 'hunter2');
      assert.ok(issuesOf(secret).every(({ message }) => message.length > 3));
      assert.equal(places(await raw(`/api/${name}`, json('[]'))).length > 0, true);
      const none = await raw(`/api/${name}`, { method: 'POST' });
      assert.equal([none.status, places(none)], [422, ['body']], name);
    }
  });

  test('each library decides about unknown keys', async () => {
    assert.equal((await raw('/api/arktype', json({ name: 'a@b.de', n: 1, more: 2 }))).json, {
      params: {},
      query: {},
      body: { name: 'a@b.de', n: 1, more: 2 },
    });
    assert.is((await raw('/api/strict', json({ n: 1, more: 2 }))).status, 422);
  });

  test('awaits asynchronous checks', async () => {
    const taken = await raw('/api/later?q=1', json({ name: 'ada' }));
    assert.equal(issuesOf(taken), [{ in: 'body', path: ['name'], message: 'is taken' }]);
    assert.equal(places(await raw('/api/later', json({}))), ['query.q', 'body.name']);
    assert.equal((await raw('/api/later?q=1', json({ name: 'bob' }))).json, {
      params: {},
      query: { q: '1' },
      body: { name: 'bob' },
    });
  });

  test('rejects a body that is neither JSON nor a form with 415 before reading it', async () => {
    for (const type of [
      'text/plain',
      'application/xml',
      'application/jsonp',
      'application/x-www-form-urlencodedd',
    ]) {
      const answer = await raw('/api/zod', json('x'.repeat(10), type));
      assert.is(answer.status, 415, type);
      assert.match((answer.json as { message: string }).message, 'application/json');
      assert.match(String(answer.headers.accept), 'application/json');
    }
    const bare = await raw('/api/zod', { method: 'POST', body: 'x' });
    assert.is(bare.status, 415);
    // Larger than the limit: had it been read, it would be 413.
    assert.is((await raw('/api/small', json('0123456789', 'text/plain'))).status, 415);
    for (const type of ['application/json; charset=utf-8', 'application/vnd.api+json', 'APPLICATION/JSON'])
      assert.is((await raw('/api/zod', json({ name: 'ada', n: 1 }, type))).status, 200, type);
  });

  test('rejects a malformed body with 400 and a large one with 413, as without a schema', async () => {
    assert.is((await raw('/api/zod', json('{'))).status, 400);
    assert.is((await raw('/api/small', json('[0,1,2,3]'))).status, 413);
  });

  test('a schema gets undefined for a missing body', async () => {
    assert.equal((await raw('/api/optional', { method: 'POST' })).json, { body: null });
    assert.equal((await raw('/api/optional', json({ n: 1 }))).json, { body: { n: 1 } });
  });

  test('an empty definition accepts the same requests as a plain route', async () => {
    assert.equal((await raw('/api/empty', json('text', 'text/plain'))).json, { body: 'text' });
  });

  test('middlewares run first and see rejected requests', async () => {
    assert.equal((await raw('/api/seen?n=1')).json, { before: { n: '1' }, after: { n: 1 }, result: 2 });
    const refused = await raw('/api/seen?n=x');
    assert.is(refused.status, 422);
    assert.equal(places(refused), ['query.n']);
  });

  test('prototype keys are ordinary keys', async () => {
    const path = `/api/raw?__proto__=1&constructor=2&toString=3&${'a=1&'.repeat(10_000)}`.slice(0, 3_900);
    const { status, json: parts } = await raw(path);
    assert.is(status, 200);
    const [[prototype, keys], [ofHeaders]] = parts as [[unknown, string[]], [unknown]];
    assert.equal([prototype, ofHeaders], [null, null]);
    assert.equal(keys, ['constructor', 'toString', 'a']);
    const body = await raw('/api/zod', json('{"__proto__":{"name":"ada","n":1}}'));
    assert.equal(places(body), ['body.name', 'body.n']);
  });
});
