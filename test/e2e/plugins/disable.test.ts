import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev, fwk } from '../../harness/fwk.js';
import { type Files, type Project, project } from '../../harness/project.js';
import { configFile, middleware, route, service, sseRoute, tells, wsModule } from '../../harness/source.js';
import { createTestApp } from '../../harness/testing.js';

const files: Files = {
  'api/x/[id].ts': route('(req, res, ctx) => ({ keys: ["store", "logger"].filter((key) => key in ctx) })'),
  'web/page.ts': route('get, view', `() => view('page', { name: 'it' })`),
  'web/plain.ts': tells('get', 'plain'),
  'views/page.eta': '<p><%= it.name %></p>',
  'public/file.txt': 'file',
  'middlewares/1.mark.ts': middleware(
    `(req, res, ctx, next) => { res.header('x-mark', '1'); return next(); }`,
  ),
  'ws/echo.ts': wsModule('() => {}'),
  'api/events.ts': sseRoute(`({ send }) => send('sent')`),
  'services/store.ts': service('() => ({})'),
};

const lines = ['GET /api/events', 'GET /api/x/:id', 'GET /page', 'GET /plain', 'WS /ws/echo'];

/** The parts that disappear with a plugin. */
interface Gone {
  readonly routes?: readonly string[];
  readonly types?: readonly string[];
  /** A file of the plugin that would stop the boot, were it still read. */
  readonly unread?: string;
  readonly served?: (fetch: (path: string) => Promise<Response>) => Promise<void>;
}

const plugins: Readonly<Record<string, Gone>> = {
  api: {
    routes: ['GET /api/events', 'GET /api/x/:id'],
    types: ['/api/x/:id'],
    unread: 'api/broken.get.ts',
    served: async (fetch) => assert.is((await fetch('/api/x/1')).status, 404),
  },
  web: {
    routes: ['GET /page', 'GET /plain'],
    types: ['/page', '/plain'],
    unread: 'web/broken.get.ts',
    served: async (fetch) => assert.is((await fetch('/plain')).status, 404),
  },
  middlewares: {
    unread: 'middlewares/broken.ts',
    served: async (fetch) => assert.is((await fetch('/plain')).headers.get('x-mark'), null),
  },
  context: {
    types: ['store'],
    unread: 'services/broken.ts',
    served: async (fetch) => assert.equal(await (await fetch('/api/x/1')).json(), { keys: ['logger'] }),
  },
  views: { served: async (fetch) => assert.not.match(await (await fetch('/page')).text(), '<p>it</p>') },
  static: { served: async (fetch) => assert.is((await fetch('/file.txt')).status, 404) },
  ws: {
    routes: ['WS /ws/echo'],
    types: ['/ws/echo'],
    unread: 'ws/broken.ts',
    served: async (fetch) => assert.is((await fetch('/ws/echo')).status, 404),
  },
  sse: { served: async (fetch) => assert.is((await fetch('/api/events')).status, 500) },
  openapi: { served: async (fetch) => assert.is((await fetch('/openapi.json')).status, 404) },
  'json-response': {},
  session: {},
  csrf: {},
  health: { served: async (fetch) => assert.is((await fetch('/healthz')).status, 404) },
  'rate-limit': {},
  'load-shedding': {},
  typegen: {},
};

const off = (names: readonly string[], more: Files = {}): Project =>
  project({
    ...files,
    ...more,
    'fwk.config.ts': configFile(`{ disableUnsafe: ${JSON.stringify(names)} }`),
  });

const test = suite('disable');

test('disables nothing by default', async () => {
  const made = off([]);
  assert.is((await fwk(made, 'routes')).stdout, `${lines.join('\n')}\n`);
  await fwk(made, 'types');
  const text = made.read('.fwk/types.d.ts');
  for (const word of ['/api/x/:id', '/page', '/plain', 'store']) assert.match(text, word);
  const server = await dev(made);
  const [page, plain, x, file, document] = await Promise.all(
    ['/page', '/plain', '/api/x/1', '/file.txt', '/openapi.json'].map((path) => server.fetch(path)),
  );
  await server.stop();
  assert.match((await page?.text()) ?? '', '<p>it</p>');
  assert.is(plain?.headers.get('x-mark'), '1');
  assert.equal(await x?.json(), { keys: ['store', 'logger'] });
  assert.is(await file?.text(), 'file');
  assert.is(document?.status, 200);
});

for (const [name, gone] of Object.entries(plugins))
  test(name, async () => {
    const made = off([name], gone.unread ? { [gone.unread]: `throw new Error('read');` } : {});
    const app = await createTestApp({ dir: made.root, logger: false });
    try {
      const expected = lines.filter((line) => !gone.routes?.includes(line));
      const listed = app.routes.map(({ label }) => label).filter((label) => lines.includes(label));
      assert.equal(listed.sort(), expected);
      await gone.served?.((path) => app.get(path));
    } finally {
      await app.close();
    }
  });

test('disables everything except http', async () => {
  const made = off(Object.keys(plugins));
  assert.equal(await fwk(made, 'routes'), {
    status: 0,
    stdout: '',
    stderr: 'There are no routes: no convention that is switched on has a file of one.\n',
  });
  const server = await dev(made);
  const { status } = await server.fetch('/');
  await server.stop();
  assert.is(status, 404);
  assert.is(made.exists('.fwk/types.d.ts'), false);
});

test('the types contain nothing of a disabled plugin', async () => {
  const typed = Object.keys(plugins).filter((name) => plugins[name]?.types);
  const made = off(typed);
  await fwk(made, 'types');
  const text = made.read('.fwk/types.d.ts');
  for (const word of typed.flatMap((name) => plugins[name]?.types ?? []))
    assert.not.ok(text.includes(word), `${word} in ${text}`);
});

test.run();
