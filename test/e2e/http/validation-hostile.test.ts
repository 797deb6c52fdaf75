import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { linkLibraries } from '../../harness/libraries.js';
import { production } from '../../harness/production.js';
import { json, schemas } from './validation-project.js';

const files = {
  'fwk.config.ts': 'export default { openapi: { serve: true } };\n',
  'api/tables.post.ts': schemas(
    'post',
    `const Row = z.object(Object.fromEntries(Array.from({ length: 100 }, (_, i) => ['key' + i, z.string()])));
export default post({ body: z.record(z.string(), Row) }, () => 'fits');`,
  ),
  'api/nested.post.ts': schemas(
    'post',
    `const Lists = z.lazy(() => z.array(z.union([z.number(), Lists])));
export default post(
  { query: z.object({ n: z.number().meta({ id: '100%' }) }), body: z.object({ list: Lists }), tool: true },
  ({ query, body }) => ({ ...query, ...body }),
);`,
  ),
  'api/list.get.ts': schemas(
    'get',
    `export default get({ response: type({ word: 'string' }).array() }, () =>
  Array.from({ length: 5_000 }, () => ({ word: 1 })));`,
  ),
  'api/own.post.ts': schemas(
    'post',
    `class Own {
  version = 1;
  vendor = 'own';
  jsonSchema = { input: () => null, output: () => true };
  constructor(word) {
    this.word = word;
  }
  validate(value) {
    return value?.word === this.word ? { value } : { issues: [{ message: 'not ' + this.word }] };
  }
}
const schema = { '~standard': new Own('tea') };
export default post({ body: schema, response: schema }, ({ body }) => body);`,
  ),
  'api/untold.post.ts': schemas(
    'post',
    `const standard = {
  version: 1,
  vendor: '__proto__',
  validate: (value) => ({ value }),
  get jsonSchema() {
    throw new Error('Install what tells it');
  },
};
export default post({ body: { '~standard': standard } }, ({ body }) => body);`,
  ),
  'api/json.post.ts': schemas(
    'post',
    `export default post({ body: type({ text: 'string.json.parse' }) }, () => 'fits');`,
  ),
};

const test = suite<Record<string, never>>('hostile requests of routes with schemas', {});
const server = await production(files, linkLibraries);
test.after(() => server.stop());

test('get only short errors for large inputs', async () => {
  const key = 'k'.repeat(60_000);
  const answer = await server.raw('/api/tables', json({ [key]: {} }));
  assert.is(answer.status, 422);
  const { errors } = JSON.parse(answer.text);
  assert.equal(errors[0].path, [key, 'key0']);
  assert.ok(answer.text.length < 200_000, String(answer.text.length));
});

test('get every issue if there are fewer than 100', async () => {
  const answer = await server.raw('/api/tables', json({ short: { key0: 'there' } }));
  assert.is(JSON.parse(answer.text).errors.length, 99);
});

test('can send schemas with recursive lists, and names with a percent sign', async () => {
  const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
  const answer = await server.raw('/api/nested?n=5', { ...form, body: 'list=1&list=2' });
  assert.is(answer.text, '{"n":5,"list":[1,2]}');
  const document = await server.raw('/openapi.json');
  assert.is(document.status, 200);
  assert.ok(JSON.parse(document.text).paths['/api/nested'].post);
});

test('can use schemas with methods, and schemas without a JSON Schema', async () => {
  assert.is((await server.raw('/api/own', json({ word: 'tea' }))).text, '{"word":"tea"}');
  assert.match((await server.raw('/api/own', json({ word: 'milk' }))).text, 'not tea');
  assert.is((await server.raw('/api/untold', json({ word: 'milk' }))).text, '{"word":"milk"}');
});

test('do not see their input in a message about JSON', async () => {
  const answer = await server.raw('/api/json', json({ text: 'hunter2' }));
  assert.is(answer.status, 422);
  assert.match(answer.text, '"message":"text must be a JSON string"');
});

test('leave at most 100 issues of a response in the log', async () => {
  assert.is((await server.raw('/api/list')).status, 500);
  const logged = await server.output.waitFor(/.*rejects the result of the handler.*/);
  assert.match(logged[0], '99.word: ');
  assert.not.match(logged[0], '100.word: ');
});

test.run();
