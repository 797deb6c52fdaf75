import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { production } from '../../harness/production.js';
import { type Files, project } from '../../harness/project.js';
import { running } from '../../harness/running.js';
import { route, service } from '../../harness/source.js';
import { createTestApp } from '../../harness/testing.js';
import { compared, tsc } from '../../harness/tsc.js';
import { configWith, type Line, line, lineModule } from './line.js';

const test = suite('provide');

const asker = (more = '') =>
  service(`(ctx, { onDestroy }) => {
       const { line } = ctx;
       ${more}
       return { ask: (word) => line.ask(word) };
     }`);

const files = (port: number): Files => ({
  'line.ts': lineModule(port),
  'fwk.config.ts': configWith("import { line } from './line.js'", 'line()'),
  'services/asker.ts': asker(),
  'api/ask/[word].ts': route('get', '(req, res, ctx) => ctx.asker.ask(req.params.word)'),
});

async function withLine(act: (end: Line) => Promise<void>): Promise<void> {
  const end = await line();
  try {
    await act(end);
  } finally {
    end.close();
  }
}

test('a service reads the value at boot, and 100 saves keep the value and its one connection', () =>
  withLine(async (end) => {
    await running(files(end.port), async ({ server, save, json }) => {
      assert.is(await json('/api/ask/hello'), 'hello!');
      for (let count = 0; count < 100; count += 1) await save({ 'services/asker.ts': asker(`// ${count}`) });
      assert.is(await json('/api/ask/again'), 'again!');
      assert.is(end.connections, 1);
      assert.is(server.output.all.split('[make]').length, 2);

      // Another function creates another value; the connection belongs to the runtime.
      const from = server.output.mark();
      await save({ 'line.ts': `${lineModule(end.port)}// another` });
      await server.waitFor(/\[destroy\]/, from);
      assert.is(server.output.all.split('[make]').length, 3);
      assert.is(await json('/api/ask/third'), 'third!');
      assert.is(end.connections, 1);
    });
    await end.ended();
    assert.equal(end.heard, ['hello', 'again', 'third', 'end']);
  }));

test('in production, the value ends after the last response and the last service', () =>
  withLine(async (end) => {
    const { raw, output, stop } = await production({
      ...files(end.port),
      'services/asker.ts': asker(`onDestroy(() => line.ask('destroyed'));`),
      'api/slow.ts': route(
        `async (req, res, ctx) => [await ctx.line.ask('wait'), await ctx.line.ask('after')]`,
      ),
    });
    const waiting = end.waiting();
    const slow = raw('/api/slow');
    const answer = await waiting;
    const stopped = stop();
    await output.waitFor(/\[stopping\]/);
    answer();
    assert.equal((await slow).json, ['wait!', 'after!']);
    await stopped;
    await end.ended();
    assert.equal(end.heard, ['wait', 'after', 'destroyed', 'end']);
  }));

test('commands that only inspect the project open nothing', () =>
  withLine(async (end) => {
    const made = project(files(end.port));
    const routes = await fwk(made, 'routes');
    assert.is(routes.status, 0, routes.stderr);
    assert.match(routes.stdout, 'GET /api/ask/:word');
    assert.is((await fwk(made, 'types')).status, 0);
    assert.is(end.connections, 0);
  }));

test('createTestApp replaces the value', () =>
  withLine(async (end) => {
    const overrides = { line: { ask: async (word: string) => `fake ${word}` } };
    const app = await createTestApp({ dir: project(files(end.port)).root, overrides: overrides as object });
    assert.is(await (await app.get('/api/ask/hello')).json(), 'fake hello');
    await app.close();
    assert.is(end.connections, 0);
  }));

test('a request-scoped value is created once per request, and has its type', async () => {
  const visitors = `import { di } from 'fwkit';
import { definePlugin, provide, Stage } from 'fwkit/plugin';
let count = 0;
const visitor = di({
  lifetime: 'request',
  value: (_ctx, { req, onDestroy }) => {
    onDestroy(() => {});
    count += 1;
    return { count, agent: req?.header('user-agent') };
  },
});
export const visitors = definePlugin({
  name: 'visitors',
  needs: ['context'],
  provides: () => ({ visitor: { type: '{ readonly count: number; readonly agent: string | undefined }', lifetime: 'request' } }),
  apply(hooks) {
    hooks.resolve.tapPromise({ name: 'visitors', stage: Stage.connect }, async (routes, project) => {
      provide(project, 'visitor', visitor);
      return routes;
    });
  },
});
`;
  const made = project({
    'lib/visitors.ts': visitors,
    'fwk.config.ts': configWith("import { visitors } from './lib/visitors.js'", 'visitors'),
    'api/visitor.get.ts': route(
      '(req, res, ctx) => [ctx.visitor.count, ctx.visitor.count, ctx.visitor.agent]',
    ),
  });
  const app = await createTestApp({ dir: made.root });
  const headers = { 'user-agent': 'test' };
  assert.equal(await (await app.get('/api/visitor', { headers })).json(), [1, 1, 'test']);
  assert.equal(await (await app.get('/api/visitor', { headers })).json(), [2, 2, 'test']);
  await app.close();
  assert.is((await fwk(made, 'types')).status, 0);
  assert.equal(await tsc(made), []);
  made.write('services/late.ts', service('(ctx) => ctx.visitor.count'));
  await fwk(made, 'types');
  assert.match(
    (await tsc(made)).map(({ message }) => message).join(),
    "Property 'count' does not exist on type 'OutOfReach",
  );
});

/** A plugin that provides a text. */
const provides = (name: string, key: string, tap = `{ name: '${name}', stage: Stage.connect }`) =>
  `{
    name: '${name}',
    apply(hooks) {
      hooks.resolve.tapPromise(${tap}, async (routes, project) => {
        provide(project, '${key}', () => '${name}');
        return routes;
      });
    },
  }`;

const STAGE = "import { provide, Stage } from 'fwkit/plugin'";

const refused: Readonly<Record<string, readonly [Files, readonly RegExp[]]>> = {
  'a file with the same key': [
    {
      'fwk.config.ts': configWith(STAGE, provides('queues', 'jobQueue')),
      'services/job-queue.ts': service('() => 1'),
    },
    [/src\/services\/job-queue\.ts: provides ctx\.jobQueue, which plugin "queues" also provides\. Rename/],
  ],
  'two plugins with the same key': [
    { 'fwk.config.ts': configWith(STAGE, `${provides('one', 'queue')}, ${provides('two', 'queue')}`) },
    [/plugin "two"/i, /provides ctx\.queue, which plugin "one" also provides\. Choose another key/],
  ],
  'a late call': [
    { 'fwk.config.ts': configWith(STAGE, provides('late', 'queue', `'late'`)) },
    [
      /plugin "late"/i,
      /provides ctx\.queue too late\. Call provide in a resolve tap with stage: Stage\.connect/,
    ],
  ],
  'a key of fwk': [
    { 'fwk.config.ts': configWith(STAGE, provides('loud', 'logger')) },
    [/plugin "loud"/i, /provides ctx\.logger, which the framework itself provides\. Choose another key/],
  ],
  'a key that ctx cannot have': [
    { 'fwk.config.ts': configWith(STAGE, provides('dashed', 'my-queue')) },
    [/plugin "dashed"/i, /provides ctx\.my-queue, which is not a valid key\. Use letters and digits/],
  ],
  'a value that is not a function': [
    { 'fwk.config.ts': configWith(STAGE, provides('plain', 'queue').replace("() => 'plain'", '5')) },
    [/plugin "plain"/i, /provides ctx\.queue without a function that creates its value/],
  ],
  'a value that fails to be created': [
    {
      'fwk.config.ts': configWith(
        STAGE,
        provides('broken', 'queue').replace(`() => 'broken'`, 'async () => { throw new Error("no queue"); }'),
      ),
    },
    [/src\/fwk\.config\.ts:\d+: failed to create ctx\.queue: no queue/],
  ],
};

for (const [name, [texts, sentences]] of Object.entries(refused))
  test(`rejects ${name}`, async () => {
    const { status, stderr } = await fwk(
      project({ 'api/x.ts': route('get', '() => 1'), ...texts }),
      'repl',
      '--eval',
      '1',
    );
    assert.is(status, 1, stderr);
    for (const sentence of sentences) assert.match(stderr, sentence);
    assert.not.match(stderr, /node:internal|\[object Object\]/);
  });

const typed: Files = {
  'services/asker.ts': `import { service } from 'fwkit';
export default service((ctx) => ({ ask: (word: string): Promise<string> => ctx.line.ask(word) }));
`,
  'api/ask.ts': `import { get } from 'fwkit';
export default get(async (_req, _res, ctx) => {
  const answer: string = await ctx.line.ask('hello');
  return [answer, await ctx.asker.ask('you')];
});
`,
};

const mistyped: Files = {
  'api/wrong.ts': `import { get } from 'fwkit';
export default get(async (_req, _res, ctx) => {
  ctx.line = { ask: async () => '' }; //! TS2540
  return ctx.line.ask(1); //! TS2345
});
`,
  'services/wrong.ts': `import { service } from 'fwkit';
export default service((ctx) => ctx.line.tell('x')); //! TS2339 TS2551
`,
};

test('handlers and services see its type on ctx', async () => {
  const made = project({
    ...typed,
    ...mistyped,
    'line.ts': `// @ts-nocheck\n${lineModule(1)}`,
    'fwk.config.ts': configWith("import { line } from './line.js'", 'line()'),
  });
  assert.is((await fwk(made, 'types')).status, 0);
  assert.equal(compared(made, await tsc(made), mistyped), { missing: [], surplus: [] });
});

test.run();
