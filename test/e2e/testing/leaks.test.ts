import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TestApp, TestLeakError } from '../../../testkit/index.js';
import { rejected } from '../../harness/client.js';
import { ended, start } from '../../harness/fwk.js';
import { type Files, type Layout, layouts, project } from '../../harness/project.js';
import { di, module, route, service, sseRoute, wsModule } from '../../harness/source.js';
import { createTestApp } from '../../harness/testing.js';

const end = 'globalThis.endOfLeaks ??= [];';

const leaky: Files = {
  'services/poll.ts': service(`() => {
  ${end}
  const timer = setInterval(() => {}, 1_000);
  globalThis.endOfLeaks.push(() => clearInterval(timer));
  return {};
}`),
  'api/listen.get.ts': `import { get } from 'fwkit';
import { createServer } from 'node:net';
export default get(async () => {
  ${end}
  const server = createServer().listen(0);
  globalThis.endOfLeaks.push(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return 'listens';
});`,
  'ws/later.ts': `import { ws } from 'fwkit';
export default ws(({ send }) => {
  ${end}
  const timer = setTimeout(() => {}, 60_000);
  globalThis.endOfLeaks.push(() => clearTimeout(timer));
  send('set');
});`,
};

const tidy: Files = {
  'services/poll.ts': service(`(ctx, { onDestroy }) => {
  const timer = setInterval(() => {}, 1_000);
  onDestroy(() => clearInterval(timer));
  setInterval(() => {}, 1_000).unref();
  return {};
}`),
  'di/user.ts': di('session', `() => ({ name: null })`),
  'api/soon.get.ts': route(
    `(req, res, ctx) => { setTimeout(() => {}, 50); ctx.user.name = 'x'; return 'soon'; }`,
  ),
  'api/news.get.ts': sseRoute(`({ send }) => { send('begun'); return () => {}; }`),
  'api/slow.get.ts': module(
    'get',
    `export default get(() => 'ok').meta({ timeout: 60_000, cache: { maxAge: 60 } });`,
  ),
  'ws/echo.ts': wsModule(`({ onMessage, send }) => onMessage(send)`),
  'mcp/tools/one.ts': `import { tool } from 'fwkit/mcp';\nexport default tool({ description: 'One.', handler: () => 'one' });`,
  'public/x.txt': 'x',
};

async function useLeaky(app: TestApp): Promise<void> {
  assert.is(await (await app.get('/api/listen')).text(), '"listens"');
  assert.is(await (await app.ws('/ws/later')).next(), 'set');
}

const endAll = () => {
  for (const one of (Reflect.get(globalThis, 'endOfLeaks') as (() => void)[]).splice(0)) one();
};

const open = (files: Files, layout: Layout, leaks?: 'error' | 'warn' | 'ignore') =>
  createTestApp({ dir: project(files, layout).root, logger: false, ...(leaks ? { leaks } : {}) });

for (const layout of layouts) {
  const test = suite(layout);

  test('reports the timer of a service, the server of a handler and the timer of a socket', async () => {
    // A timer that does not belong to the app.
    const own = setInterval(() => {}, 1_000);
    const app = await open(leaky, layout, 'error');
    try {
      await useLeaky(app);
      const error = (await rejected(app.close())) as unknown as TestLeakError;
      assert.is(error.name, 'TestLeakError');
      const lines = error.leaks.map(
        ({ what, file = '', line }) =>
          `${what} ${file.replace(/.*?((src\/)?(services|api|ws)\/)/, '$1')}:${line}`,
      );
      const at = (name: string) =>
        name.replace(/\.ts$/, layout === 'ts' ? '.ts' : '.js').replace(/^/, layout === 'ts' ? 'src/' : '');
      assert.equal(lines.toSorted(), [
        `a listening server ${at('api/listen.get.ts')}:5`,
        `a repeating timer ${at('services/poll.ts')}:4`,
        `a timer ${at('ws/later.ts')}:4`,
      ]);
      assert.match(error.message, /a repeating timer, made at .*poll\.[jt]s:4\n +at /);
    } finally {
      clearInterval(own);
      endAll();
    }
  });

  test('reports nothing for clean code', async () => {
    const app = await open(tidy, layout, 'error');
    await app.get('/api/soon');
    await app.get('/api/slow');
    await app.get('/x.txt');
    await (await app.sse('/api/news')).next();
    const echo = await app.ws('/ws/echo');
    echo.send('a');
    await echo.next();
    assert.is((await app.mcp.callTool('one')).text, 'one');
    await app.run(() => new Promise((resolve) => setTimeout(resolve, 5)));
    await app.close();
    await app.close();
  });

  test('a closed app lets the process exit, whatever its clients left open', async () => {
    const made = project(
      {
        ...tidy,
        'test/leave.mjs': `import { createTestApp } from 'fwkit/testing';
const app = await createTestApp();
await app.ws('/ws/echo');
await app.sse('/api/news');
await app.get('/api/soon');
await app.close();
const begin = performance.now();
process.on('exit', () => console.log('after', Math.round(performance.now() - begin)));`,
      },
      layout,
    );
    const { status, stdout } = await ended(
      start(process.execPath, ['test/leave.mjs'], made.root),
      'leave.mjs',
    );
    assert.is(status, 0);
    // ws waits 30 s for an end of its connection.
    assert.ok(Number(/after (\d+)/.exec(stdout)?.[1]) < 5_000, stdout);
  });

  test('warn prints leaks, and without the option none are looked for', async () => {
    const { warn } = console;
    const written: unknown[] = [];
    console.warn = (text) => void written.push(text);
    try {
      for (const how of ['warn', 'ignore', undefined] as const) {
        const app = await open(leaky, layout, how);
        await app.close();
      }
    } finally {
      console.warn = warn;
      endAll();
    }
    assert.is(written.length, 1);
    assert.match(String(written[0]), 'The app is closed, but these resources are still open.');
  });

  test.run();
}
