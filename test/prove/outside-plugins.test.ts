import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../harness/fwk.js';
import { type Files, project } from '../harness/project.js';
import { module } from '../harness/source.js';

// Plugins from outside: one adds a command, one a convention over HTTP whose routes prove, impact and reach know without a word about it.

const test = suite('plugins from outside, and prove, impact and reach');

const files: Files = {
  'fwk.config.ts': `import { prove } from '@fwkit/prove';
import { audit } from './lib/audit.js';
import { hooks } from './lib/hooks.js';
export default { plugins: [audit, hooks, prove()] };
`,
  'lib/audit.ts': `export const audit = {
  name: 'audit',
  apply() {},
  commands: [{
    name: 'audit',
    description: 'Count the routes without a guard.',
    load: async () => ({ run: async ({ open }) => {
      const { routes, close } = await (await open({ purpose: 'build' })).resolve();
      console.log(routes.filter(({ chain = [] }) => chain.length === 0).length);
      await close();
    } }),
  }],
};
`,
  'lib/hooks.ts': `import { brand } from 'fwkit/plugin';
import { httpRoutes } from 'fwkit/http';
const made = brand('hooks.hook');
export const hook = (receive) => made.mark({ receive });
export const hooks = httpRoutes({
  name: 'hooks',
  directory: 'hooks',
  mount: '/hooks',
  convention: {
    verb: 'HOOK',
    suffixes: {},
    endpointOf: (exported) => made.has(exported)
      ? { method: 'POST', metadata: {}, handler: (req, res, ctx) => exported.receive(req.body, ctx) }
      : undefined,
    missing: 'has no default export.',
    unwrapped: 'is not wrapped in hook().',
  },
});
`,
  // What hook() does with its function nobody knows; that this gets ctx, its type says.
  'hooks/paid.ts': `import type { RuntimeCtx } from 'fwkit';
import { hook } from '../lib/hooks.js';
export default hook((event: unknown, ctx: RuntimeCtx) => ctx.ledger.add(event));
`,
  'hooks/open/ping.ts': "import { hook } from '../../lib/hooks.js';\nexport default hook(() => 'pong');\n",
  'services/ledger.ts': module(
    'service',
    'export default service(() => ({ add: (event) => [process.env.LEDGER, event] }));',
  ),
  'hooks/_middleware.ts': module(
    'error, middleware',
    `export default middleware((req, _res, _ctx, next) => {
  if (req.header('x-secret') !== 'of the sender') throw error(401);
  return next();
});`,
  ),
  'policy.ts': `import { anonymous, policy, under, visitor } from '@fwkit/prove';
const sender = visitor('the sender', { headers: { 'x-secret': 'of the sender' } });
export default policy([under('hooks/**').passes('hooks').refuses(anonymous).admits(sender)]);
`,
};

test('a command of another plugin runs beside theirs', async () => {
  const { status, stdout, stderr } = await fwk(project(files), 'audit');
  assert.equal([status, stdout, stderr], [0, '0\n', '']);
});

test('prove holds routes of another convention, and finds the guard that lets in', async () => {
  const made = project(files);
  const held = await fwk(made, 'prove');
  assert.is(held.status, 0, held.stdout + held.stderr);
  assert.match(held.stdout, '2 routes');
  made.write('hooks/_middleware.ts', made.read('hooks/_middleware.ts').replace('throw error(401);', ';'));
  const { status, stdout } = await fwk(made, 'prove');
  assert.is(status, 1);
  for (const file of ['hooks/paid.ts', 'hooks/open/ping.ts']) assert.match(stdout, made.label(file));
  assert.match(stdout, 'lets anonymous in');
});

test('reach and impact follow what its handlers read of ctx', async () => {
  const made = project(files);
  const { stdout } = await fwk(made, 'reach');
  const [ping = '', paid = ''] = stdout.trimEnd().split('\n');
  assert.match(ping, /^HOOK \/hooks\/open\/ping/);
  assert.match(paid, /^HOOK \/hooks\/paid .*\bledger\b.* env LEDGER/);
  const impact = await fwk(made, 'impact', 'src/services/ledger.ts', '--json');
  assert.is(impact.status, 0, impact.stderr);
  assert.match(impact.stdout, 'HOOK /hooks/paid');
});

test.run();
