import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTestApp, type TestApp } from '../../testkit/index.js';
import { type Files, type Project, project } from '../harness/project.js';
import { module, route } from '../harness/source.js';
import { type Answers, impactOf, resolved, tryEdits } from './impact-trial.js';

// The last file of a convention's directory goes: what that reaches, against what is answered otherwise when both versions run.

const test = suite('impact of the last file of a directory');

const files: Files = {
  'fwk.config.ts': module('defineConfig', `export default defineConfig({ mcp: { sessions: false } });`),
  'services/word.ts': module('service', `export default service(() => ({ say: () => 'word' }));`),
  'di/name.ts': module('di', `export default di({ lifetime: 'request', value: () => 'name' });`),
  'middlewares/1.mark.ts': module(
    'middleware',
    `export default middleware((req, res, ctx, next) => { res.header('X-Mark', 'yes'); return next(); });`,
  ),
  'api/word.get.ts': route('get', '(req, res, ctx) => ctx.word.say()'),
  'api/name.get.ts': route('get', '(req, res, ctx) => ctx.name'),
  'api/alone.get.ts': route('get', `() => 'alone'`),
  'api/alone.post.ts': route('post', `() => 'alone'`),
  'api/rooms.get.ts': route('get', '(req, res, ctx) => typeof ctx.rooms'),
  'web/page.get.ts': route('get', `() => 'page'`),
  'ws/echo.ts': module('ws', `export default ws(({ send }) => send('hello'));`),
  'mcp/tools/one.ts': `import { tool } from 'fwkit/mcp';\nexport default tool({ description: 'One.', handler: () => 'one' });`,
};

const OF_MCP = 'mcp/tools/one.ts';
const reason = (thrown: unknown): string => String(Object(thrown).status ?? thrown);

/** What an app answers, by the file of the endpoint. */
async function told(app: TestApp, made: Project): Promise<Answers> {
  const found = new Map<string, string>();
  const note = (name: string, text: string) => found.set(made.label(name), text);
  for (const name of ['api/word', 'api/name', 'api/alone', 'api/rooms', 'web/page']) {
    const answer = await app.request('GET', `/${name.replace('web/', '')}`);
    note(`${name}.get.ts`, `${answer.status} ${answer.headers.get('x-mark')} ${await answer.text()}`);
  }
  const posted = await app.request('POST', '/api/alone', {
    headers: { origin: 'https://other.test', 'sec-fetch-site': 'cross-site' },
  });
  note('api/alone.post.ts', `${posted.status} ${posted.headers.get('x-mark')}`);
  const greeted = async () => (await app.ws('/ws/echo' as never)).next();
  note('ws/echo.ts', String(await greeted().catch(reason)));
  const called = await app.request('POST', '/mcp', {
    headers: { accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'one', arguments: {} } },
  });
  note(OF_MCP, `${called.status} ${called.headers.get('x-mark')} ${await called.text()}`);
  return found;
}

async function answersOf(made: Project): Promise<Answers> {
  const app = await createTestApp({ dir: made.root, logger: false });
  try {
    return await told(app, made);
  } finally {
    await app.close();
  }
}

const noRooms: Files = { ...files, 'api/rooms.get.ts': route('get', '() => 1') };

const without = (name: string, all: Files = files) => ({
  name,
  before: String(all[name]),
  after: undefined,
});

for (const [name, silent] of [
  ['services/word.ts', 0],
  ['di/name.ts', 0],
  // It runs before the handshake of a socket, too, and changes nothing there.
  ['middlewares/1.mark.ts', 1],
  ['web/page.get.ts', 0],
  [OF_MCP, 0],
] as const)
  test(name, async () => {
    const made = project(files, 'ts');
    const trial = await tryEdits(made, [without(name)], () => answersOf(made));
    assert.equal(trial.outside, []);
    assert.ok(trial.changed > 0);
    assert.is(trial.foretold, trial.changed + silent);
  });

/** What is said of a file that is gone, or that came. */
async function saidOf(name: string, all: Files, isNew = false) {
  const made = project(all, 'ts');
  if (!isNew) made.remove(name);
  const after = await resolved(made);
  const gone = without(name, all);
  try {
    return await impactOf(after, made, isNew ? { name, before: undefined, after: gone.before } : gone);
  } finally {
    await after.project.close();
  }
}

test('ws/echo.ts, and with it ctx.rooms', async () => {
  for (const [all, silent] of [
    [files, 6],
    [noRooms, 0],
  ] as const) {
    const made = project(all, 'ts');
    const trial = await tryEdits(made, [without('ws/echo.ts', all)], () => answersOf(made));
    assert.equal(trial.outside, []);
    assert.is(trial.foretold, trial.changed + silent);
  }
  const { everything } = await saidOf('ws/echo.ts', files, true);
  assert.equal(everything, ['Everything is reached: ctx.rooms comes with src/ws/echo.ts.']);
});

test('the endpoint of MCP is told as gone with the last of what it serves', async () => {
  const { routes, tools, everything } = await saidOf(OF_MCP, files);
  assert.equal(everything, []);
  const gone = [...routes, ...tools].filter(({ isGone }) => isGone).map(({ label }) => label);
  assert.equal(gone, ['MCP /mcp', 'TOOL one']);
});

test('and as reached with the first', async () => {
  const { routes, tools, everything } = await saidOf(OF_MCP, files, true);
  assert.equal(everything, []);
  assert.equal(
    [...routes, ...tools].map(({ label }) => label),
    ['MCP /mcp', 'TOOL one'],
  );
});

test('with the last value of a session go sessions, and what is checked because of them', async () => {
  const visitor = module('di', `export default di({ lifetime: 'session', value: () => ({ seen: 0 }) });`);
  const all: Files = { ...files, 'di/visitor.ts': visitor };
  const made = project(all, 'ts');
  const trial = await tryEdits(made, [without('di/visitor.ts', all)], () => answersOf(made));
  assert.equal(trial.outside, []);
  // A page of another origin may post by now.
  assert.ok(trial.changed > 0);
});

test('a policy that goes reaches nothing', async () => {
  const all: Files = { ...files, 'policy.ts': 'export default {};\n' };
  const { everything, routes } = await saidOf('policy.ts', all);
  assert.equal([everything, routes], [[], []]);
});

test.run();
