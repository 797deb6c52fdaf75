import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SharedMemory } from '../../../peers/index.js';
import type { TestApp, TestMachine } from '../../../testkit/index.js';
import { type Files, project } from '../../harness/project.js';
import { stateless } from '../../harness/rpc.js';
import { configFile, di, module, route, service } from '../../harness/source.js';
import { createTestApp, testMachines } from '../../harness/testing.js';

const files: Files = {
  'fwk.config.ts': configFile('{ mcp: { sessions: false } }'),
  'di/user.ts': di('session', `() => ({ name: '' })`),
  'di/cart.ts': di('session', `() => ({ items: [] })`),
  'api/add/[item].ts': route('post', '(req, res, ctx) => { ctx.cart.items.push(req.params.item); }'),
  'api/mine.ts': route('get', '(req, res, ctx) => [ctx.user.name, ...ctx.cart.items]'),
  'api/login/[name].ts': module(
    'post, renewSession',
    'export default post((req, res, ctx) => { renewSession(req); ctx.user.name = req.params.name; });',
  ),
  'services/hits.ts': service(
    `(ctx, { peers }) => ({ count: () => peers.memory('hits').add('all', 1, 60) })`,
  ),
  'api/stream.ts': route(`(req, res, ctx) => (async function* () {
       yield 'begun';
       await new Promise(setImmediate);
       yield String(await ctx.hits.count());
     })()`),
  'mcp/tools/hits.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Counts.', handler: async (_input, ctx) => String(await ctx.hits.count()) });`,
  'mcp/resources/hits/all.ts': `import { resource } from 'fwkit/mcp';
export default resource({ description: 'Counts.', handler: async (_variables, ctx) => String(await ctx.hits.count()) });`,
};

interface Alone {
  readonly app: TestApp;
  readonly machine: TestMachine;
  readonly logged: string[];
}

async function alone(
  use: (alone: Alone) => Promise<void>,
  changed: (machine: TestMachine) => void = () => {},
): Promise<void> {
  const machine = testMachines()();
  changed(machine);
  const logged: string[] = [];
  const note =
    (level: string) =>
    (...values: unknown[]) =>
      void logged.push([level, ...values.map(String)].join(' '));
  const logger = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
  const app = await createTestApp({ dir: project(files).root, machine, logger });
  try {
    await use({ app, machine, logged });
  } finally {
    await app.close();
  }
}

/** Whole seconds since it was called. */
const stopwatch = () => {
  const begun = performance.now();
  return () => Math.floor((performance.now() - begun) / 1_000);
};

const test = suite('responses during an outage');

/** A memory operation that never answers: `when` selects it, and whether it takes effect. */
function unanswered(
  step: 'take' | 'put',
  isDone: boolean,
): { readonly times: (count: number) => void; change(machine: TestMachine): void } {
  let left = 0;
  return {
    times: (count) => {
      left = count;
    },
    change(machine) {
      const memoryOf = machine.memory.bind(machine);
      machine.memory = (name: string): SharedMemory => {
        const memory = memoryOf(name);
        const failing = async (act: () => unknown): Promise<never> => {
          if (isDone) await act();
          machine.cut();
          try {
            return (await memory.get('x')) as never;
          } finally {
            machine.mend();
          }
        };
        const isTurn = () => {
          left -= 1;
          return left >= 0;
        };
        return {
          ...memory,
          take: (key) => (step === 'take' && isTurn() ? failing(() => memory.take(key)) : memory.take(key)),
          put: (key, fields, maxAge, only) =>
            step === 'put' && only === 'existing' && isTurn()
              ? failing(() => memory.put(key, fields, maxAge, only))
              : memory.put(key, fields, maxAge, only),
        };
      };
    },
  };
}

for (const [step, isDone] of [
  ['take', true],
  ['take', false],
  ['put', true],
  ['put', false],
] as const)
  test(`renewSession: nothing is lost if ${step} times out and ${isDone ? 'was' : 'was not'} done`, async () => {
    const broken = unanswered(step, isDone);
    await alone(async ({ app }) => {
      await app.post('/api/add/pen');
      const planted = app.cookies.get('session') ?? '';
      broken.times(1);
      const refused = await app.post('/api/login/ann');
      assert.equal([refused.status, refused.headers.get('retry-after')], [503, '1']);
      assert.is.not(app.cookies.get('session'), planted, 'the visitor has the new id');
      const [, ...items] = (await (await app.get('/api/mine')).json()) as string[];
      assert.equal(items, ['pen']);
      // An attacker who planted the old id cannot read the visitor's session.
      const own = app.cookies.get('session') ?? '';
      assert.is((await app.post('/api/login/ann')).status, 204);
      app.cookies.set('session', planted);
      assert.equal(await (await app.get('/api/mine')).json(), ['']);
      app.cookies.set('session', own);
      assert.equal(await (await app.get('/api/mine')).json(), [''], 'nor has who knows the one between');
    }, broken.change);
  });

test('a running response is cut off, and logged once a second like rejected requests', () =>
  alone(async ({ app, machine, logged }) => {
    machine.cut();
    const seconds = stopwatch();
    for (let time = 0; time < 5; time += 1) {
      const answer = await app.get('/api/stream');
      assert.is(answer.status, 200);
      const failure = await answer.text().catch((thrown: unknown) => thrown);
      assert.instance(failure, Error, String(failure));
    }
    const lines = logged.filter((line) => /stream/.test(line));
    assert.ok(lines.length >= 1 && lines.length <= 1 + seconds(), lines.join('\n'));
    assert.match(lines[0] ?? '', 'warn GET /api/stream was cut off: this machine is cut off from the others');
  }));

test('a tool or a resource that needs the unavailable store returns an error, logged once a second', () =>
  alone(async ({ app, machine, logged }) => {
    const ask = async (method: string, params: { readonly name?: string; readonly uri?: string }) => {
      const [body, headers] = stateless(method, params);
      const accept = 'application/json, text/event-stream';
      const answer = await app.post('/mcp', body, { headers: { ...headers, accept } });
      return answer.text();
    };
    assert.match(await ask('tools/call', { name: 'hits' }), /"text":"1"/);
    machine.cut();
    const seconds = stopwatch();
    for (let time = 0; time < 5; time += 1) {
      const result = await ask('tools/call', { name: 'hits' });
      assert.match(
        result,
        'The tool hits needs a service that is temporarily unavailable. Try again in 1 s.',
      );
      assert.match(result, /"isError":true/);
    }
    const uri = 'hits://all';
    assert.match(
      await ask('resources/read', { uri, name: uri }),
      'The resource hits://all needs a service that is temporarily unavailable. Try again in 1 s.',
    );
    const lines = logged.filter((line) => /hits/.test(line));
    assert.ok(lines.length >= 1 && lines.length <= 1 + seconds(), lines.join('\n'));
    assert.match(lines[0] ?? '', /^warn The tool hits failed in \S+hits\.ts: this machine is cut off/);
  }));

test.run();
