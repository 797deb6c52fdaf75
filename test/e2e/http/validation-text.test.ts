import * as assert from 'uvu/assert';
import { checked, everywhere } from './validation-project.js';

const answer = '({ query }) => query';
const form = (fields: string) => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: fields,
});

const files = {
  'api/zod.get.ts': checked(
    'get',
    `{
      query: z.object({
        n: z.number(),
        i: z.int(),
        list: z.array(z.number()),
        flag: z.boolean(),
        either: z.union([z.number(), z.boolean()]).nullable(),
        text: z.string(),
        both: z.union([z.string(), z.number()]),
        id: z.union([z.string(), z.array(z.string())]),
        kind: z.literal([1, 2]),
        at: z.coerce.date(),
        more: z.coerce.number(),
        big: z.coerce.bigint(),
      }).partial(),
    }`,
    '({ query: { big, ...query } }) => ({ ...query, ...(big ? { big: String(big) } : {}) })',
  ),
  'api/valibot.get.ts': checked(
    'get',
    `{
      query: toStandardJsonSchema(v.partial(v.object({
        n: v.number(), list: v.array(v.number()), flag: v.boolean(), text: v.string(), more: v.pipe(v.string(), v.transform(Number)),
      }))),
    }`,
    answer,
  ),
  'api/arktype.get.ts': checked(
    'get',
    `{ query: type({ 'n?': 'number', 'list?': 'number[]', 'flag?': 'boolean', 'text?': 'string', 'more?': 'string.numeric.parse' }) }`,
    answer,
  ),
  'api/untold.get.ts': checked('get', '{ query: v.object({ n: v.number() }) }', answer),
  'api/functions.get.ts': checked(
    'get',
    `{
      query: z.object({
        is: z.preprocess((text) => text === 'true', z.boolean()).optional(),
        tags: z.preprocess((text) => text.split(','), z.array(z.string())).default([]),
        n: z.transform((text) => parseInt(z.string().parse(text))).pipe(z.number()).optional(),
      }),
    }`,
    answer,
  ),
  'api/valibot-functions.get.ts': checked(
    'get',
    `{ query: toStandardJsonSchema(v.object({ is: v.pipe(v.unknown(), v.transform((text) => text === 'true'), v.boolean()) })) }`,
    answer,
  ),
  'api/arktype-functions.get.ts': checked(
    'get',
    `{ query: type({ is: type('unknown').pipe((text) => text === 'true', type('boolean')) }) }`,
    answer,
  ),
  'api/functions.post.ts': checked(
    'post',
    `{ body: z.object({ is: z.preprocess((text) => text === 'true', z.boolean()) }) }`,
    '({ body }) => body',
  ),
  'api/words.get.ts': checked(
    'get',
    `{ query: z.object({ v: z.union([z.number(), z.literal('all')]).optional(), list: z.union([z.enum(['all', '5']), z.array(z.number())]).optional() }) }`,
    answer,
  ),
  'api/arktype-words.get.ts': checked('get', `{ query: type({ v: "number | 'all'" }) }`, answer),
  'api/branches.get.ts': checked(
    'get',
    `{
      query: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('a'), v: z.number() }),
        z.object({ kind: z.enum(['b', 'c']), v: z.string() }),
      ]),
    }`,
    answer,
  ),
  'api/arktype-branches.get.ts': checked(
    'get',
    `{ query: type({ kind: "'a'", v: 'number' }).or({ kind: "'b'", v: 'string' }) }`,
    answer,
  ),
  'api/digits/[n].get.ts': checked(
    'get',
    `{ params: z.object({ n: z.bigint() }), query: z.object({ v: z.bigint().optional() }) }`,
    '({ params, query }) => [String(params.n), String(query.v)]',
  ),
  'api/valibot-digits.get.ts': checked(
    'get',
    '{ query: toStandardJsonSchema(v.object({ n: v.bigint() })) }',
    '({ query }) => [typeof query.n, String(query.n)]',
  ),
  'api/arktype-digits.get.ts': checked(
    'get',
    `{ query: type({ n: 'bigint' }) }`,
    '({ query }) => [typeof query.n, String(query.n)]',
  ),
  'api/nothing.get.ts': checked(
    'get',
    '{ query: z.object({ n: z.number().nullable(), t: z.string().nullable(), list: z.array(z.number()), more: z.array(z.string()).optional() }) }',
    answer,
  ),
  'api/maybe.get.ts': checked(
    'get',
    '{ query: z.object({ a: z.string() }).optional() }',
    '({ query }) => ({ query: query === undefined ? null : query })',
  ),
  'api/maybe-later.get.ts': checked(
    'get',
    '{ query: z.object({ a: z.string() }).refine(async () => true).optional() }',
    '({ query }) => ({ query: query === undefined ? null : query })',
  ),
  'api/parts.get.ts': checked(
    'get',
    '{ query: z.object({ a: z.number() }).and(z.union([z.object({ b: z.number() }), z.object({ c: z.boolean() })])) }',
    answer,
  ),
  'api/record.get.ts': checked('get', '{ query: z.record(z.string(), z.number()) }', answer),
  'api/own.get.ts': checked(
    'get',
    `{
      query: {
        '~standard': {
          version: 1,
          vendor: 'own',
          validate: (value) => ({ value }),
          jsonSchema: {
            input: () => ({
              $ref: '#/$defs/query',
              $defs: {
                query: { properties: { n: { $ref: '#/$defs/n' }, t: { allOf: [{ type: 'integer' }, { minimum: 1 }] }, loop: { $ref: '#/$defs/loop' } } },
                n: { const: 5 },
                loop: { anyOf: [{ $ref: '#/$defs/loop' }] },
              },
            }),
            output: () => ({}),
          },
        },
      },
    }`,
    answer,
  ),
  'api/form.post.ts': checked(
    'post',
    '{ body: z.object({ n: z.number(), tags: z.array(z.string()), agree: z.boolean().default(false), title: z.string() }) }',
    '({ body }) => body',
  ),
  'api/upload.post.ts': checked(
    'post',
    '{ body: z.object({ n: z.number(), file: z.file(), more: z.array(z.file()) }) }',
    'async ({ body }) => ({ n: body.n, text: await body.file.text(), more: body.more.map((one) => one.name) })',
  ),
  'api/body.post.ts': checked('post', '{ body: z.object({ n: z.number() }) }', '({ body }) => body'),
  'api/head.get.ts': checked(
    'get',
    `{ headers: z.object({ 'x-n': z.number(), accept: z.string() }) }`,
    '({ headers }) => headers',
  ),
};

everywhere(files, (test, raw, server, site) => {
  const query = async (path: string) => {
    const { status, json } = await raw(`/api/${path}`);
    return status === 200 ? json : status;
  };

  test('numbers, booleans and lists, with every library', async () => {
    for (const library of ['zod', 'valibot', 'arktype']) {
      const text = 'n=-1.5e2&list=1&list=2&flag=false&text=7&more=8';
      const expected = { n: -150, list: [1, 2], flag: false, text: '7', more: 8 };
      assert.equal(await query(`${library}?${text}`), expected, library);
      assert.equal(await query(`${library}?list=3`), { list: [3] }, library);
      assert.equal(await query(`${library}?n=x`), 422, library);
      assert.equal(await query(`${library}?flag=yes`), 422, library);
      assert.equal(await query(`${library}?n=1&n=2`), 422, library);
    }
  });

  test('text that does not round-trip as a number stays text', async () => {
    for (const text of [
      '0x5',
      '',
      '%207',
      '7%20',
      '+7',
      '1e999',
      '-1e999',
      '1e-999',
      '1234567890123456789',
      '07',
      '.5',
      '5.',
      '1_000',
      'NaN',
      'Infinity',
      '0.12345678901234567890',
    ])
      assert.equal(await query(`zod?n=${text}`), 422, text);
    for (const [text, n] of [
      ['0', 0],
      ['9007199254740991', 9007199254740991],
      ['1.10', 1.1],
      ['0.30000000000000004', 0.30000000000000004],
      ['1E3', 1000],
    ] as const)
      assert.equal(await query(`zod?n=${text}`), { n }, text);
    assert.equal(await query('zod?big=1234567890123456789'), { big: '1234567890123456789' });
  });

  test('text stays text if an alternative accepts a string', async () => {
    assert.equal(await query('zod?both=5&id=5'), { both: '5', id: '5' });
    assert.equal(await query('zod?id=5&id=6'), { id: ['5', '6'] });
    assert.equal(await query('zod?either=true'), { either: true });
    assert.equal(await query('zod?either=2&kind=1&i=3'), { either: 2, kind: 1, i: 3 });
    assert.equal(await query('zod?i=3.5'), 422);
  });

  test('a schema without a JSON Schema gets text', async () => {
    assert.equal(await query('untold?n=1'), 422);
    const isTold =
      /FWK422 GET \/api\/untold: the query schema has no JSON Schema, so text is not converted .* Wrap it in toStandardJsonSchema\(\)/;
    if (site) assert.match(server().output.all, isTold);
    else assert.not.match(server().output.all, 'FWK422');
  });

  test('a schema that begins with a function gets text', async () => {
    assert.equal(await query('functions?is=true&tags=a,b&n=5x'), { is: true, tags: ['a', 'b'], n: 5 });
    assert.equal(await query('functions?is=false'), { is: false, tags: [] });
    assert.equal(await query('valibot-functions?is=true'), { is: true });
    assert.equal(await query('arktype-functions?is=true'), { is: true });
    assert.equal((await raw('/api/functions', form('is=true'))).json, { is: true });
  });

  test('text that is an enum member stays text', async () => {
    assert.equal(await query('words?v=5&list=6'), { v: 5, list: [6] });
    assert.equal(await query('words?v=all&list=5'), { v: 'all', list: '5' });
    assert.equal(await query('words?v=none'), 422);
    assert.equal(await query('arktype-words?v=5'), { v: 5 });
    assert.equal(await query('arktype-words?v=all'), { v: 'all' });
  });

  test('a field has the type of its branch in a union', async () => {
    for (const path of ['branches', 'arktype-branches']) {
      assert.equal(await query(`${path}?kind=a&v=1`), { kind: 'a', v: 1 });
      assert.equal(await query(`${path}?kind=b&v=1`), { kind: 'b', v: '1' });
      assert.equal(await query(`${path}?kind=x&v=1`), 422);
    }
  });

  test('bigints', async () => {
    assert.equal(await query('digits/12345678901234567890?v=-7'), ['12345678901234567890', '-7']);
    assert.equal(await query('digits/1'), ['1', 'undefined']);
    assert.equal(await query('digits/1.5'), 422);
    assert.equal(await query(`digits/${'9'.repeat(1_001)}`), 422);
    assert.equal(await query('valibot-digits?n=12345678901234567890'), ['bigint', '12345678901234567890']);
    assert.equal(await query('arktype-digits?n=12345678901234567890'), ['bigint', '12345678901234567890']);
  });

  test('null, empty lists and optional objects are omitted from a URL', async () => {
    assert.equal(await query('nothing'), { n: null, t: null, list: [] });
    assert.equal(await query('nothing?n=1&t=x&list=2&more=y'), { n: 1, t: 'x', list: [2], more: ['y'] });
    for (const path of ['maybe', 'maybe-later']) {
      assert.equal(await query(path), { query: null });
      assert.equal(await query(`${path}?a=1`), { query: { a: '1' } });
      assert.equal(await query(`${path}?b=1`), 422);
    }
  });

  test('supports nested schemas', async () => {
    assert.equal(await query('parts?a=1&b=2'), { a: 1, b: 2 });
    assert.equal(await query('parts?a=1&c=true'), { a: 1, c: true });
    assert.equal(await query('record?a=1&b=2'), { a: 1, b: 2 });
    assert.equal(await query('own?n=5&t=6&loop=7'), { n: 5, t: 6, loop: '7' });
  });

  test('form values are text, JSON values are not', async () => {
    assert.equal((await raw('/api/form', form('n=5&tags=a&agree=true&title=Tea+%26+more'))).json, {
      n: 5,
      tags: ['a'],
      agree: true,
      title: 'Tea & more',
    });
    const told = await raw('/api/form', form('n=&tags=a&tags=b&title=1&title=2'));
    assert.equal(
      (told.json as { errors: { path: string[] }[] }).errors.map(({ path }) => path.join('.')),
      ['n', 'title'],
    );
    const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"n":"5"}' };
    assert.is((await raw('/api/body', sent)).status, 422);
  });

  test('a multipart form has files', async () => {
    const part = (name: string, value: string, file?: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"${file ? `; filename="${file}"` : ''}\r\n\r\n${value}\r\n`;
    const body = `${part('n', '7')}${part('file', 'hello', 'a.txt')}${part('more', 'x', 'b.txt')}--b--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    assert.equal((await raw('/api/upload', { method: 'POST', headers, body })).json, {
      n: 7,
      text: 'hello',
      more: ['b.txt'],
    });
  });

  test('headers', async () => {
    const answer = await raw('/api/head', { headers: { 'X-N': '5', accept: '1' } });
    assert.equal(answer.json, { 'x-n': 5, accept: '1' });
    assert.is((await raw('/api/head', { headers: { 'X-N': 'x', accept: '1' } })).status, 422);
  });
});
