import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Files, project } from '../../harness/project.js';
import { route, service } from '../../harness/source.js';
import { createTestApp } from '../../harness/testing.js';

const ORDER = ['closer', 'request', 'version', 'service', 'end'];

/** A project that records in `ctx.ended` which values were closed; `failing` throws on close. */
const files = (failing = ''): Files => ({
  'lib/ended.ts': `
    export const ended = [];
    export const end = (what) => {
      ended.push(what);
      if (what === '${failing}') throw new Error(\`no \${what}\`);
    };
  `,
  'services/notes.ts': `
    import { service } from 'fwkit';
    import { end, ended } from '../lib/ended.js';
    export default service((ctx, { onDestroy }) => {
      onDestroy(() => end('service'));
      return ended;
    });
  `,
  'services/gate.ts': service(`() => {
       let open, reached;
       const opened = new Promise((resolve) => (open = resolve));
       const entered = new Promise((resolve) => (reached = resolve));
       return { open, opened, reached, entered };
     }`),
  'api/slow.get.ts': route(`async (req, res, { gate, notes }) => {
       gate.reached();
       await gate.opened;
       notes.push('request');
       return 'done';
     }`),
  'lib/plugin.ts': `
    import { definePlugin } from 'fwkit/plugin';
    import { end, ended } from './ended.js';
    export const plugin = () => definePlugin({
      name: 'ending',
      apply(hooks) {
        hooks.serve.tapPromise('ending', async ({ runtime, project }) => {
          runtime.onEnd(() => end('end'));
          runtime.onClose(() => end('closer'));
          project.onClose(() => end('version'));
          if ('${failing}' === 'boot') {
            globalThis.fwkitEnded = ended;
            throw new Error('no boot');
          }
        });
      },
    });
  `,
  'fwk.config.ts': `
    import { plugin } from './lib/plugin.js';
    export default { plugins: [plugin()] };
  `,
});

const outcome = (closing: Promise<void>): Promise<string> =>
  closing.then(
    () => 'closed',
    ({ message }: Error) => message,
  );

type Ctx = {
  readonly notes: readonly string[];
  readonly gate: { readonly open: () => void; readonly entered: Promise<void> };
};

/** Closes an app twice at once while it serves a request, then a third time. */
async function closed(failing?: string): Promise<{ notes: readonly string[]; outcomes: readonly string[] }> {
  const app = await createTestApp({ dir: project(files(failing)).root });
  const { notes, gate } = app.ctx as unknown as Ctx;
  const slow = app.get('/api/slow');
  await gate.entered;
  const closing = [app.close(), app.close()].map(outcome);
  await new Promise(setImmediate);
  gate.open();
  assert.is((await slow).status, 200);
  const outcomes = [...(await Promise.all(closing)), await outcome(app.close())];
  return { notes, outcomes };
}

const test = suite('closing an app');

test('closes everything once and in order, however often close() is called', async () => {
  const { notes, outcomes } = await closed();
  assert.equal(notes, ORDER);
  assert.equal(outcomes, ['closed', 'closed', 'closed']);
});

for (const failing of ['closer', 'version', 'end'])
  test(`a failure of the ${failing} does not stop the remaining cleanup`, async () => {
    const { notes, outcomes } = await closed(failing);
    assert.equal(notes, ORDER);
    for (const one of outcomes) assert.match(one, `no ${failing}`);
  });

test('an app that fails to boot cleans up after its plugins', async () => {
  const refused = await createTestApp({ dir: project(files('boot')).root }).then(
    () => 'booted',
    ({ message }: Error) => message,
  );
  assert.match(refused, 'no boot');
  assert.equal(Reflect.get(globalThis, 'fwkitEnded'), ['version', 'service', 'closer', 'end']);
});

test.run();
