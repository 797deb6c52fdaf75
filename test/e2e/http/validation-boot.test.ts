import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev, fwk } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { layouts, project } from '../../harness/project.js';
import { MAIN, TSCONFIG } from '../../harness/settings.js';
import { checked, schemas } from './validation-project.js';

const body = 'z.object({ n: z.number() })';
const swapped = schemas('post', `export default post(() => 1, { body: ${body} });`);

/** The file of each mistake, its text and the message. */
const mistakes: Readonly<Record<string, readonly [text: string, reported: RegExp]>> = {
  'api/a.post.ts': [
    checked('post', `{ bodyy: ${body} }`, '() => 1'),
    /unknown key "bodyy" in its definition/,
  ],
  'api/b.post.ts': [checked('post', '{ body: 7 }', '() => 1'), /the "body" of post\(\) must be a schema/],
  'api/c.get.ts': [
    checked('get', `{ errors: { 700: ${body} } }`, '() => 1'),
    /the "errors" of get\(\) must be an object with a schema .* from 400 to 599/,
  ],
  'api/c2.post.ts': [
    checked('post', `{ errors: { 200: ${body} } }`, '() => 1'),
    /the "errors" of post\(\) must be .* Move 200 to "response"/,
  ],
  'api/d.post.ts': [swapped, /post\(\) takes its definition first, then the handler. Swap them/],
  'api/e.post.ts': [checked('post', body, '() => 1'), /post\(\) takes an object with schemas/],
  'api/f.get.ts': [
    checked('get', '{ response: { 404: null } }', '() => 1'),
    /the "response" of get\(\) must be .* Move 404 to "errors": \{ errors: \{ 404: schema \} \}\./,
  ],
  'api/f2.post.ts': [
    checked('post', `{ response: { 205: ${body} } }`, '() => 1'),
    /the "response" of post\(\) must be .* null for a status without a body, such as 204 and 205/,
  ],
  'api/g.get.ts': [
    checked('get', `{ body: ${body} }`, '() => 1'),
    /get\(\) cannot check a "body".* use post\(\), put\(\) or patch\(\)\./,
  ],
  'api/h.put.ts': [
    checked('put', '{ tags: "one" }', '() => 1'),
    /the "tags" of put\(\) must be an array of strings/,
  ],
  'api/i.put.ts': [checked('put', '{ tolo: true }', '() => 1'), /unknown key "tolo"/],
  'api/j.put.ts': [
    checked('put', '{}', '"handler"'),
    /put\(\) needs a handler function after its definition/,
  ],
  'api/k/[id].get.ts': [
    checked('get', '{ params: z.object({ bookId: z.string() }) }', '() => 1'),
    /has a params schema with "bookId", but the path of the file has "id"/,
  ],
  'api/l/[id].get.ts': [
    checked('get', "{ params: type({ id: 'string', 'more?': 'string' }) }", '() => 1'),
    /has a params schema with "id", "more", but the path of the file has "id"/,
  ],
  'api/m.get.ts': [
    checked('get', '{ headers: z.object({ "X-Token": z.string() }) }', '() => 1'),
    /has "X-Token" in its headers schema. Write "x-token"/,
  ],
  'api/n.post.ts': [
    checked('post', '{ body: z.any() }', '() => 1').replace(/;\n$/, '.meta({ body: "stream" });\n'),
    /has a body schema and \.meta\(\{ body: "stream" \}\)/,
  ],
  'api/r.get.ts': [
    checked('sse', `{ event: { message: ${body} } }`, '() => 1'),
    /sse\(\) has an unknown key "event" in its definition\. It takes params, query, headers, events, title/,
  ],
  'api/s.get.ts': [
    checked('sse', '{ events: { message: 7 } }', '() => 1'),
    /the "events" of sse\(\) must be an object with a schema .* for each event name, a single line/,
  ],
  'api/t.get.ts': [
    checked('sse', `{ body: ${body} }`, '() => 1'),
    /sse\(\) has an unknown key "body".* Only post\(\), put\(\) and patch\(\) accept it\./,
  ],
  'api/y.get.ts': [
    checked('get', `{ events: { message: ${body} } }`, '() => 1'),
    /get\(\) has an unknown key "events" in its definition\. Only sse\(\) accepts it\. It takes /,
  ],
  'api/u.get.ts': [
    checked('sse', body, '() => 1'),
    /sse\(\) takes an object with schemas: write \{ events: /,
  ],
  'api/v.get.ts': [checked('sse', '{}', '7'), /sse\(\) needs a handler function after its definition/],
  'api/w/[id].get.ts': [
    checked('sse', '{ params: z.object({ room: z.string() }) }', '() => 1'),
    /has a params schema with "room", but the path of the file has "id"/,
  ],
  'ws/a.ts': [
    checked('ws', `{ recieve: ${body} }`, '() => 1'),
    /ws\(\) has an unknown key "recieve" in its definition\. It takes params, query, headers, protocols, receive, send, state, title/,
  ],
  'ws/b.ts': [checked('ws', '{ send: 7 }', '() => 1'), /the "send" of ws\(\) must be a schema/],
  'ws/c.ts': [
    schemas('ws', `export default ws(() => 1, { receive: ${body} });`),
    /ws\(\) takes its definition first, then the handler. Swap them/,
  ],
  'ws/d/[id].ts': [
    checked(
      'ws',
      '{ params: z.object({ room: z.string() }), headers: z.object({ "X-A": z.string() }) }',
      '() => 1',
    ),
    /has a params schema with "room", but the path of the file has "id"/,
  ],
  'ws/e.ts': [checked('ws', '{}', '7'), /ws\(\) needs a handler function after its definition/],
};

/** Names that fit, or that cannot be known. */
const right = {
  'api/o/[a]/[...b].get.ts': checked(
    'get',
    '{ params: z.object({ a: z.string(), b: z.string() }) }',
    '() => 1',
  ),
  'api/p/[a].get.ts': checked('get', '{ params: z.record(z.string(), z.string()) }', '() => 1'),
  'api/q/[a].get.ts': checked('get', '{ params: v.object({ b: v.string() }) }', '() => 1'),
};

/** Schemas of values that cannot be sent, each with the rest of the sentence after "has a schema in". */
const unsendable: Readonly<Record<string, readonly [text: string, reported: RegExp]>> = {
  'api/a.post.ts': [
    checked('post', '{ body: z.object({ of: z.object({ day: z.date() }) }) }', '() => 1'),
    /"body" that expects a Date at "of\.day", which JSON cannot represent\. Write z\.iso\.datetime\(\), or z\.iso\.datetime\(\)\.transform\(\(text\) => new Date\(text\)\) for a Date\./,
  ],
  'api/b.get.ts': [
    checked('get', '{ query: toStandardJsonSchema(v.object({ day: v.date() })) }', '() => 1'),
    /"query" that expects a Date at "day", which text cannot represent\. Write v\.pipe\(/,
  ],
  'api/c.post.ts': [
    checked('post', "{ body: type({ day: 'Date' }) }", '() => 1'),
    /"body" that expects a Date at "day".* Write 'string\.date\.parse'/,
  ],
  'ws/d.ts': [
    checked(
      'ws',
      '{ receive: z.object({ day: z.date().nullable() }), send: z.object({ day: z.date() }) }',
      '() => 1',
    ),
    /"receive" that expects a Date at "day"/,
  ],
  'ws/e.ts': [
    checked('ws', '{ send: z.object({ size: z.bigint() }) }', '() => 1'),
    /"send" that sends a bigint at "size"/,
  ],
  'api/f.get.ts': [
    checked('get', '{ query: z.object({ f: z.object({ a: z.number() }) }) }', '() => 1'),
    /"query" that expects an object at "f", which text cannot represent\. Use one field for each value/,
  ],
  'api/g.get.ts': [
    checked('get', '{ query: z.object({ rows: z.array(z.array(z.number())) }) }', '() => 1'),
    /"query" that expects an array at "rows\.\*"/,
  ],
  'api/h.get.ts': [
    checked('get', '{ headers: z.object({ "x-file": z.file() }) }', '() => 1'),
    /"headers" that expects a file at "x-file"/,
  ],
  'api/i.post.ts': [
    checked('post', '{ body: z.object({ f: z.file(), meta: z.object({ a: z.number() }) }) }', '() => 1'),
    /"body" that expects an object at "meta", which text cannot represent/,
  ],
  'api/j.post.ts': [
    checked('post', '{ body: z.object({ doc: z.object({ f: z.file() }) }) }', '() => 1'),
    /"body" that expects a file at "doc\.f"/,
  ],
  'api/k.post.ts': [
    checked('post', '{ body: z.object({ n: z.bigint() }) }', '() => 1'),
    /"body" that expects a bigint at "n", which JSON cannot represent\. Write z\.string\(\)\.regex\(/,
  ],
  'api/l.post.ts': [
    checked('post', '{ body: toStandardJsonSchema(v.object({ n: v.bigint() })) }', '() => 1'),
    /"body" that expects a bigint at "n".* Write v\.pipe\(/,
  ],
  'api/m.post.ts': [
    checked('post', "{ body: type({ n: 'bigint' }) }", '() => 1'),
    /"body" that expects a bigint at "n".* Write type\(/,
  ],
  'api/n.post.ts': [
    checked('post', '{ body: z.object({ m: z.map(z.string(), z.number()) }) }', '() => 1'),
    /"body" that expects a Map at "m", which JSON cannot represent\. Accept an object or an array/,
  ],
  'api/o.post.ts': [
    checked('post', "{ body: type({ m: 'Set' }) }", '() => 1'),
    /"body" that expects a Set at "m"/,
  ],
  'api/p.get.ts': [
    checked('get', '{ response: z.array(z.object({ n: z.bigint() })) }', '() => []'),
    /"response" that sends a bigint at "\*\.n", which JSON cannot represent\. Convert it to a string/,
  ],
  'api/q.get.ts': [
    checked('get', '{ response: { 200: z.object({ s: z.set(z.number()) }) } }', '() => []'),
    /"response\.200" that sends a Set at "s"/,
  ],
  'api/r.get.ts': [
    checked('get', '{ errors: { 409: z.map(z.string(), z.number()) } }', '() => []'),
    /"errors\.409" that sends a Map, which/,
  ],
  'api/s.get.ts': [
    checked('sse', '{ events: { message: z.bigint() } }', '() => {}'),
    /"events\.message" that sends a bigint, which/,
  ],
};

/** Schemas of values that can be sent, although one of their types cannot. */
const sendable = {
  'api/t.post.ts': checked(
    'post',
    '{ body: z.object({ day: z.coerce.date(), at: z.iso.datetime() }) }',
    '() => 1',
  ),
  'api/u.post.ts': checked(
    'post',
    `{ body: z.object({
      day: z.iso.datetime().transform((text) => new Date(text)),
      at: z.iso.datetime().pipe(z.coerce.date()),
    }) }`,
    '({ body: { day, at } }) => [day instanceof Date, day.getTime() === at.getTime()]',
  ),
  'api/v.post.ts': checked(
    'post',
    '{ body: z.object({ day: z.preprocess((text) => new Date(text), z.date()), or: z.union([z.string(), z.date()]) }) }',
    '() => 1',
  ),
  'api/w.post.ts': checked('post', "{ body: type({ day: 'string.date.parse' }) }", '() => 1'),
  'api/x.get.ts': checked('get', '{ response: z.object({ day: z.date() }) }', '() => ({ day: new Date() })'),
  'api/y.get.ts': checked(
    'get',
    '{ response: z.object({ n: z.bigint().transform(String) }) }',
    '() => ({ n: 1n })',
  ),
  'api/z.post.ts': checked(
    'post',
    '{ body: z.object({ f: z.file(), n: z.bigint(), tags: z.array(z.string()) }) }',
    '() => 1',
  ),
  'api/tree.post.ts': `${checked('post', '{ body: z.object({ tree: z.lazy(() => Tree) }) }', '() => 1')}const Tree = z.object({ leaves: z.array(z.lazy(() => Tree)) });\n`,
  'api/parsed.get.ts': checked(
    'get',
    '{ query: z.object({ f: z.string().transform((text) => JSON.parse(text)).pipe(z.object({ a: z.number() })) }) }',
    '() => 1',
  ),
};

for (const layout of layouts) {
  const test = suite(layout);

  test('rejects a schema of values that cannot be sent', async () => {
    const files = Object.entries(unsendable).map(([file, [text]]) => [file, text] as const);
    const made = project({ ...Object.fromEntries(files), ...sendable }, layout);
    linkLibraries(made);
    const { status, stderr } = await fwk(made, 'routes');
    assert.is(status, 1);
    for (const [file, [, reported]] of Object.entries(unsendable))
      assert.match(stderr, new RegExp(`FWK419 ${made.label(file)}: has a schema in ${reported.source}`));
    for (const file of Object.keys(sendable)) assert.not.match(stderr, made.label(file));
  });

  test('a date is parsed from text', async () => {
    const made = project({ 'api/z.post.ts': sendable['api/u.post.ts'] }, layout);
    linkLibraries(made);
    const server = await dev(made);
    const given = async (day: string | null) => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ day, at: '2026-01-01T00:00:00Z' });
      const answer = await server.fetch('/api/z', { method: 'POST', headers, body });
      return answer.ok ? await answer.json() : answer.status;
    };
    assert.equal(await given('2026-01-01T00:00:00Z'), [true, true]);
    assert.is(await given(null), 422);
    await server.stop();
  });

  test('fwk routes reports each mistake with its file', async () => {
    const files = Object.entries(mistakes).map(([file, [text]]) => [file, text] as const);
    const made = project({ ...Object.fromEntries(files), ...right }, layout);
    linkLibraries(made);
    const { status, stderr } = await fwk(made, 'routes');
    assert.is(status, 1);
    for (const [file, [, reported]] of Object.entries(mistakes)) {
      assert.match(stderr, made.label(file));
      assert.match(stderr, reported);
    }
    for (const file of Object.keys(right)) assert.not.match(stderr, made.label(file));
    // A mistake in a definition is no failure of an import.
    assert.not.match(stderr, /throws when|Fix it there/);
    assert.match(
      stderr,
      new RegExp(`${made.label('api/i.put.ts')}:\\d+: put\\(\\) has an unknown key "tolo"`),
    );
  });

  test.run();
}

const test = suite('build');

test('fwk build reports them, too', async () => {
  const file = 'api/k/[id].get.ts';
  const text = (mistakes[file]?.[0] ?? '').replace(
    "import { toStandardJsonSchema } from '@valibot/to-json-schema';\n",
    '',
  );
  const made = project({ [file]: text, 'main.ts': MAIN, 'tsconfig.json': TSCONFIG });
  linkLibraries(made);
  const { status, stderr } = await fwk(made, 'build');
  assert.is(status, 1);
  assert.match(stderr, 'api/k/[id].get');
  assert.match(stderr, mistakes[file]?.[1] ?? /$^/);
});

test.run();
