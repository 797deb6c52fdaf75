import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TestAppOptions } from '../../../testkit/index.js';
import { rejected, untyped } from '../../harness/client.js';
import { project } from '../../harness/project.js';
import { module, route, sseRoute, wsModule } from '../../harness/source.js';
import {
  createTestApp,
  PluginLawError,
  TestLeakError,
  TestMcpError,
  TestRefusal,
  testClock,
  testPlugin,
} from '../../harness/testing.js';

// Each mistake in a test throws an error whose message includes the code, because test runners print little else.

const test = suite('mistakes of tests');

const files = {
  'api/a.get.ts': route('get', `() => 'a'`),
  'api/once.get.ts': sseRoute(`({ send, close }) => { send('one'); close(); return () => {}; }`),
  'api/timer.get.ts': route(`() => { globalThis.leakOfTest = setInterval(() => {}, 1_000); return 1; }`),
  'ws/silent.ts': wsModule(`() => {}`),
  'services/mail.ts': module('service', 'export default service(() => ({ send() {} }));'),
  'mcp/tools/one.ts': `import { tool } from 'fwkit/mcp';\nexport default tool({ description: 'One.', handler: () => 'one' });`,
};

const made = project(files);
const app = await createTestApp({ dir: made.root, logger: false });
test.after(async () => app?.close());

/** The error of a call, whose code must be a property and part of the message. */
async function failure(code: string, call: () => unknown): Promise<Error> {
  const error = (await rejected((async () => call())())) as Error & { readonly code?: unknown };
  assert.match(error.message, new RegExp(`\\nRead more: npx fwk docs ${code}$`));
  // The code of an MCP error belongs to the protocol.
  if (!(error instanceof TestMcpError)) assert.is(error.code, code);
  return error;
}

const options: readonly (readonly [name: string, given: unknown, message: RegExp])[] = [
  ['no object', 'src', /^createTestApp\(\) takes an object of options, not "src"\./],
  ['null', null, /^createTestApp\(\) takes an object of options, not null\./],
  ['dir', { dir: 5 }, /^The option "dir" takes the folder of a project, not 5\./],
  ['overrides', { overrides: 5 }, /^The option "overrides" takes an object of values of ctx, not 5\./],
  [
    'overrides null',
    { overrides: null },
    /^The option "overrides" takes an object of values of ctx, not null\./,
  ],
  ['leaks', { leaks: true }, /^The option "leaks" takes "error", "warn" or "ignore", not true\./],
  [
    'machine',
    { machine: () => {} },
    /^The option "machine" takes the result of a function made by testMachines\(\), not a function\./,
  ],
  ['clock', { clock: testClock }, /^The option "clock" takes the result of testClock\(\), not a function\./],
];
for (const [name, given, message] of options)
  test(`rejects an invalid option: ${name}`, async () => {
    const error = await failure('FWK901', () => createTestApp(given as TestAppOptions));
    assert.instance(error, TypeError);
    assert.match(error.message, message);
    assert.not.match(error.stack ?? '', 'testError');
  });

test('an unknown option suggests an option of the test or of the config', async () => {
  const unknown = async (given: object) =>
    rejected(createTestApp({ dir: made.root, ...given } as TestAppOptions));
  const near = await unknown({ overides: {} });
  assert.equal(
    [near.code, near.message],
    [
      'FWK201',
      'FWK201 The options have an unknown key "overides". Did you mean "overrides"?\nRead more: npx fwk docs FWK201',
    ],
  );
  assert.match(
    (await unknown({ sesion: {} })).message,
    /^FWK201 The options have an unknown key "sesion"\. Did you mean "session"\?$/m,
  );
  const wrong = await unknown({ session: { maxAge: 'x' } });
  // No file is to blame.
  assert.match(
    wrong.message,
    /^FWK202 "session\.maxAge" must be a whole number of seconds, at least 1; it is "x"\.$/m,
  );
  const inside = await unknown({ session: { maxage: 1 } });
  assert.match(inside.message, 'have an unknown key "session.maxage". Did you mean "maxAge"?');
});

test('boot errors contain all codes in the message and in the stack trace', async () => {
  const error = await failure('FWK307', () =>
    createTestApp({ dir: made.root, overrides: { mial: 1 } as never }),
  );
  assert.match(error.message, /^FWK307 overrides has "mial", but nothing provides ctx\.mial\./);
  assert.match(error.stack ?? '', `BootError: ${error.message}\n    at `);
  // Also in a project without any values of ctx.
  const { root } = project({ 'api/a.get.ts': module('get', 'export default get(() => 1);') });
  await failure('FWK307', () => createTestApp({ dir: root, overrides: { mial: 1 } as never }));
  const broken = project({ 'api/a.get.ts': 'export const a = 1;\n', 'services/b.ts': 'export default 1;\n' });
  const two = await rejected(createTestApp({ dir: broken.root }));
  const [route, service, more] = two.message.split('\n').sort();
  assert.match(route ?? '', /^FWK104 src\/api\/a\.get\.ts: /);
  assert.match(service ?? '', /^FWK301 src\/services\/b\.ts: /);
  assert.match(more ?? '', /^Read more: npx fwk docs FWK\d+, or any other code above$/);
});

test('rejects an invalid date or duration for a clock', async () => {
  await failure('FWK902', () => testClock('never'));
  const error = await failure('FWK902', () => testClock().advance('8 dayz' as never));
  assert.match(error.message, /^clock\.advance\(\) takes .*, not "8 dayz"\nRead more/);
});

test('reports events that never arrive, and ended streams', async () => {
  const socket = await app.ws('/ws/silent');
  assert.match((await failure('FWK903', () => socket.next())).message, 'sent no message in 4 s');
  assert.match(
    (await failure('FWK502', () => socket.send(undefined))).message,
    'text, bytes or what JSON has',
  );
  await socket.close();
  assert.match((await failure('FWK904', () => socket.next())).message, 'it was closed with 1005 ""');
  assert.match((await failure('FWK904', () => socket.send('x'))).message, 'WS /ws/silent is closed');
  const events = await app.sse('/api/once');
  await events.next();
  assert.match((await failure('FWK904', () => events.next())).message, 'the stream has ended');
});

test('reports rejected requests and handshakes', async () => {
  assert.instance(await failure('FWK905', () => app.ws('/ws/nothing' as never)), TestRefusal);
  assert.instance(await failure('FWK905', () => app.sse('/api/a')), TestRefusal);
  const bare = await createTestApp({ dir: project({ 'api/a.get.ts': files['api/a.get.ts'] }).root });
  await failure('FWK905', () => bare.ws('/ws/a' as never));
  await failure('FWK905', () => bare.mcp.listTools());
  await bare.close();
});

test('a closed app throws', async () => {
  const closed = await createTestApp({ dir: made.root, logger: false });
  const known = closed.visitor();
  await closed.close();
  const late: Readonly<Record<string, () => unknown>> = {
    'GET /api/a': () => closed.get('/api/a'),
    'PUT /api/a?b=c': () => closed.put('/api/a?b=c' as never, {}),
    'HEAD /api/a': () => known.head('/api/a'),
    'OPTIONS /api/a': () => closed.visitor().request('OPTIONS', '/api/a'),
    'GET /api/none': () => closed.fetch('/api/none'),
    'GET /api/once': () => closed.sse('/api/once'),
    'WS /ws/silent': () => closed.ws('/ws/silent'),
    'POST /mcp': () => closed.mcp.listTools(),
    'app.run()': () => closed.run(() => 1),
  };
  for (const [asked, call] of Object.entries(late)) {
    const { message } = await failure('FWK315', call);
    assert.is(
      message.split('\n')[0],
      `${asked} is used after app.close(). Close the app after its last use.`,
    );
  }
  const api = untyped(closed.api);
  await failure('FWK315', () => api('/api/a').get());
  await failure('FWK315', () => api('/ws/silent').ws());
  await closed.close();
});

test('reports unknown tools, prompts and methods', async () => {
  const error = await failure('FWK906', () => app.mcp.callTool('two'));
  assert.instance(error, TestMcpError);
  assert.match(error.message, /^MCP tools\/call: There is no tool "two"\n/);
  assert.is((error as InstanceType<typeof TestMcpError>).code, -32602);
  await failure('FWK906', () => app.mcp.getPrompt('two'));
  await failure('FWK906', () => app.mcp.request('tools/nothing'));
});

test('reports leaks, and a plugin that breaks a law', async () => {
  const leaky = await createTestApp({ dir: made.root, leaks: 'error' });
  await leaky.get('/api/timer');
  assert.instance(await failure('FWK907', () => leaky.close()), TestLeakError);
  clearInterval(Reflect.get(globalThis, 'leakOfTest') as NodeJS.Timeout);
  const broken = { files: {}, works: () => Promise.reject(new Error('on purpose')) };
  const plugin = { name: 'own', apply() {} };
  assert.instance(await failure('FWK908', () => testPlugin(plugin, broken)), PluginLawError);
  await failure('FWK901', () => testPlugin(undefined as never, broken));
  await failure('FWK901', () => testPlugin(plugin, undefined as never));
});

test.run();
