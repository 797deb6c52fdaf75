import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev, fwk } from '../harness/fwk.js';
import { request } from '../harness/http.js';
import type { Files } from '../harness/project.js';
import { assertReported, refusal } from '../harness/refusal.js';
import { build, MAIN, production, TSCONFIG } from '../harness/settings.js';
import { configFile, di, route, service } from '../harness/source.js';
import { compared, tsc } from '../harness/tsc.js';
import { withPlugin } from './example.js';

const test = suite('rpc');

const config = (more = '') => ({
  'fwk.config.ts': `import { rpc } from 'fwk-rpc';\n${configFile(`{ plugins: [rpc()], ${more} }`)}`,
});
const procedure = (...given: string[]) =>
  `import { procedure } from 'fwk-rpc';\nimport { error } from 'fwkit';\nexport default procedure(${given.join(', ')});\n`;

/** A Standard Schema of a text, as a library would implement it. */
const schema = `import type { StandardSchema } from 'fwkit';
export const text: StandardSchema<string, string> = { '~standard': { version: 1, vendor: 'test', validate: (value) =>
  typeof value === 'string' ? { value: value.trim() } : { issues: [{ message: 'must be a text', path: ['name'] }] } } };
`;

const files: Files = {
  ...config(),
  'lib/text.ts': schema,
  'di/scoped.ts': di('request', `() => ({ calls: 0 })`),
  'services/greeter.ts': service(`(ctx) => ({ greet: (name: string) => ctx.rpc('greet', name) })`),
  'rpc/greet.ts': `import { text } from '../lib/text.js';\n${procedure('text', "async (name) => 'Hello, ' + name + '!'")}`,
  'rpc/(staff)/books/find-one.ts': procedure(`async ({ id }: { id: number }) => {
    if (id === 0) throw error(404, 'No such book');
    if (id < 0) throw new Error('no ink');
    return id > 99 ? null : { id };
  }`),
  'rpc/count.ts': procedure('async (_input, ctx) => ++ctx.scoped.calls'),
  'api/greet.get.ts': route('get', '(_req, _res, ctx) => ctx.greeter.greet("Ada")'),
  'api/scopes.get.ts': route(`async (_req, _res, ctx) => {
      const given = [await ctx.rpc('count', undefined, ctx), await ctx.rpc('count', undefined, ctx)];
      return [...given, await ctx.rpc('count'), await ctx.rpc('count')];
    }`),
  'main.ts': MAIN,
  'tsconfig.json': TSCONFIG,
};

/** The fields of problem documents that tests read. */
interface Body {
  readonly message: string;
  readonly errors: unknown;
}

const call = async (url: string, name: string, input: unknown, type = 'application/json') => {
  const body = JSON.stringify(input);
  const sent = await request(url, `/rpc/${name}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body,
  });
  return { status: sent.status, type: sent.headers['content-type'], body: sent.json as Body };
};

/** Assertions for every way to run the project. */
async function answers(url: string): Promise<void> {
  assert.equal((await call(url, 'greet', ' Ada ')).body, 'Hello, Ada!');
  assert.equal((await call(url, 'books/find-one', { id: 7 })).body, { id: 7 });
  const nothing = await call(url, 'books/find-one', { id: 100 });
  assert.equal([nothing.status, nothing.body], [200, null]);
  const problem = 'application/problem+json';
  const wrong = await call(url, 'greet', 7);
  assert.equal([wrong.status, wrong.type], [422, problem]);
  assert.equal(wrong.body.errors, [{ path: ['name'], message: 'must be a text' }]);
  const missing = await call(url, 'books/find-one', { id: 0 });
  assert.equal([missing.status, missing.type, missing.body.message], [404, problem, 'No such book']);
  const text = await call(url, 'greet', 'Ada', 'text/plain');
  assert.equal([text.status, text.type], [415, problem]);
  assert.is((await call(url, 'nowhere', 1)).status, 404);
  assert.is((await request(url, '/rpc/greet')).status, 405);
  assert.equal((await request(url, '/api/greet')).json, 'Hello, Ada!');
  assert.equal((await request(url, '/api/scopes')).json, [1, 2, 1, 1]);
}

test('functions are called over HTTP and in the process, in development and in production', async () => {
  const made = withPlugin('rpc', files);
  const server = await dev(made);
  await answers(server.url);
  assert.is((await call(server.url, 'books/find-one', { id: -1 })).status, 500);
  await server.waitFor(/POST \/rpc\/books\/find-one failed in src\/rpc\/\(staff\)\/books\/find-one\.ts:/);
  await server.stop();

  await build(made);
  const { url, stop } = await production(made);
  await answers(url);
  const hidden = await call(url, 'books/find-one', { id: -1 });
  assert.equal([hidden.status, JSON.stringify(hidden.body).includes('ink')], [500, false]);
  await stop();
});

test('a reload calls the edited function, and keeps services that only hold ctx.rpc', async () => {
  const made = withPlugin('rpc', {
    ...files,
    'services/held.ts': service(`(ctx) => { console.log('[held]'); return { rpc: ctx.rpc }; }`),
    'api/held.get.ts': route('get', '(_req, _res, ctx) => ctx.held.rpc("greet", "Ada")'),
  });
  const server = await dev(made);
  const held = async () => (await request(server.url, '/api/held')).json;
  assert.is(await held(), 'Hello, Ada!');
  const reloaded = async (act: () => void) => {
    const mark = server.output.mark();
    act();
    await server.waitFor(/reloaded/, mark);
  };
  await reloaded(() => made.write('rpc/greet.ts', made.read('rpc/greet.ts').replace('Hello', 'Good day')));
  assert.is(await held(), 'Good day, Ada!');
  const broken = server.output.mark();
  made.write('rpc/greet.ts', 'export default 1;\n');
  await server.waitFor(/is not a procedure/, broken);
  assert.is(await held(), 'Good day, Ada!');
  await reloaded(() => made.write('rpc/greet.ts', procedure('(name: string) => name.toUpperCase()')));
  assert.is(await held(), 'ADA');
  await reloaded(() => made.write('rpc/later.ts', procedure('() => "later"')));
  assert.equal((await call(server.url, 'later', null)).body, 'later');
  await server.stop();
  assert.is(server.output.all.split('[held]').length, 2, 'the service is made once');
});

test('mistakes are reported together', async () => {
  const made = withPlugin('rpc', {
    ...config(),
    'rpc/plain.ts': 'export default () => {};\n',
    'rpc/nothing.ts': 'export const x = 1;\n',
    'rpc/no-function.ts': procedure('1'),
    'rpc/no-schema.ts': procedure('{}', '() => 1'),
    'rpc/users/[id].ts': procedure('() => 1'),
    'rpc/twice.ts': procedure('() => 1'),
    'rpc/(also)/twice.ts': procedure('() => 1'),
    'services/rpc.ts': service('() => 1'),
  });
  const stderr = await refusal(made, 'routes');
  assert.match(stderr, /^7 problems in /, stderr);
  const advice = 'Export default procedure(async (input, ctx) => …).';
  assertReported(stderr, made, 'rpc/plain.ts', `has a default export that is not a procedure. ${advice}`);
  assertReported(stderr, made, 'rpc/nothing.ts', `has no default export. ${advice}`);
  const thrown = ':3: throws when it is imported: procedure() takes';
  assertReported(stderr, made, 'rpc/no-function.ts', `${thrown} a function (input, ctx) to run.`);
  assertReported(stderr, made, 'rpc/no-schema.ts', `${thrown} a Standard Schema before its function.`);
  const parameter = 'has a parameter in its path. A procedure has none: take it from the input.';
  assertReported(stderr, made, 'rpc/users/[id].ts', parameter);
  assert.match(stderr, /serves POST \/rpc\/twice, which src\/rpc\/(\(also\)\/)?twice\.ts serves too\./);
  assertReported(stderr, made, 'services/rpc.ts', 'provides ctx.rpc, which plugin "rpc" also provides.');
});

test('names, inputs and outputs are typed from the files', async () => {
  const wrong = {
    'lib/wrong.ts': `import type { RuntimeCtx } from 'fwkit';
export const wrong = (ctx: RuntimeCtx) => [
  ctx.rpc('gret', 'Ada'), //! TS2345
  ctx.rpc('greet', 7), //! TS2345
  ctx.rpc('greet'), //! TS2554
  ctx.rpc('greet', 'Ada').then((text) => text.id), //! TS2339
];
`,
  };
  const right = `import type { RuntimeCtx } from 'fwkit';
export const right = async (ctx: RuntimeCtx) => {
  const text: string = await ctx.rpc('greet', 'Ada', ctx);
  const found: { id: number } | null = await ctx.rpc('books/find-one', { id: 1 });
  return [text, found, await ctx.rpc('count')];
};
`;
  const made = withPlugin('rpc', { ...files, ...wrong, 'lib/right.ts': right });
  assert.is((await fwk(made, 'types')).status, 0);
  const result = compared(made, await tsc(made), wrong);
  assert.equal(result, { missing: [], surplus: [] });
});

test('a starter and guidance', async () => {
  const made = withPlugin('rpc', { ...config() });
  assert.is((await fwk(made, 'scaffold')).status, 0);
  assert.is((await fwk(made, 'skills', '--ide', 'claude')).status, 0);
  assert.match(made.read('.claude/skills/fwk/SKILL.md'), /^## Procedures: `src\/rpc\/`$/m);
  const server = await dev(made);
  assert.equal((await call(server.url, 'sum', [1, 2, 3])).body, 6);
  await server.stop();
});

test.run();
