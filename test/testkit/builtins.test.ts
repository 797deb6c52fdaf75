import { once } from 'node:events';
import { get } from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import WebSocket from 'ws';
import { builtins } from '../../app/builtins.js';
import { type PluginFixtures, type PluginTestApp, testPlugin } from '../../testkit/index.js';
import { repo } from '../harness/installed.js';
import { project } from '../harness/project.js';
import { sampled } from '../harness/sample.js';
import { di, middleware, route, service, sseRoute, tells, wsModule } from '../harness/source.js';

type Given = Omit<PluginFixtures, 'dir'>;

const test = suite('plugins that keep the laws');

const status =
  (expected: number, at: string) =>
  async ({ fetch }: PluginTestApp) => {
    const response = await fetch(at);
    assert.is(response.status, expected, await response.text());
  };
const text =
  (expected: string, at: string, init?: RequestInit) =>
  async ({ fetch }: PluginTestApp) =>
    assert.is(await (await fetch(at, init)).text(), expected);

const page = {
  'web/page.js': route('get, view', `() => view('page', { name: 'it' })`),
  'views/page.eta': '<p><%= it.name %></p>',
};
const marks = (mark: string) =>
  middleware(`(req, res, ctx, next) => {
       req.mark = (req.mark ?? '') + '${mark}';
       res.header('x-mark', req.mark);
       return next();
     }`);
const plain = { 'api/plain.js': route('get', '() => ({ a: 1 })') };

const fixtures: Readonly<Record<string, Given>> = {
  http: { files: plain, works: status(404, '/nothing') },
  api: {
    files: { 'api/x/[id].get.js': tells('get', 'x') },
    broken: { 'api/wrong.get.js': 'export default 1;\n', 'api/twice.get.post.js': tells('get', 'x') },
    works: status(200, '/api/x/1'),
  },
  web: { files: { 'web/page.js': tells('get', 'page') }, works: status(200, '/page') },
  context: {
    files: {
      'services/store.js': service(`(ctx, { onStart, onDestroy }) => {
        const store = { started: 0 };
        onStart(() => { store.started++; return () => { store.started--; }; });
        return store;
      }`),
      'di/visit.js': di('request', `(ctx) => ({ store: ctx.store })`),
      'api/started.js': route('get', '(req, res, ctx) => ctx.visit.store.started'),
    },
    works: text('1', '/api/started'),
  },
  env: {
    files: {
      'env.js': 'export default { GREETING: process.env.GREETING ?? "hello" };\n',
      'api/greeting.js': route('get', '(req, res, ctx) => ctx.env.GREETING'),
    },
    broken: { 'env.js': 'export const GREETING = 1;\n' },
    works: text('"hello"', '/api/greeting'),
  },
  log: { files: plain, works: text('{"a":1}', '/api/plain') },
  middlewares: {
    files: {
      ...plain,
      'middlewares/1.mark.js': marks('1'),
      'api/_middleware.js': marks('2'),
    },
    works: async ({ fetch }) => assert.is((await fetch('/api/plain')).headers.get('x-mark'), '12'),
  },
  views: { files: page, works: text('<p>it</p>', '/page') },
  'json-response': { files: plain, works: text('{"a":1}', '/api/plain') },
  static: { files: { ...plain, 'public/file.txt': 'file' }, works: text('file', '/file.txt') },
  cache: {
    files: {
      'api/once.js': `${route('get', '() => Math.random()').trim().slice(0, -1)}.meta({ cache: { maxAge: 60 } });\n`,
    },
    broken: {
      'api/wrong.js': `${route('post', '() => 1').trim().slice(0, -1)}.meta({ cache: { maxAge: 1 } });\n`,
    },
    works: async ({ fetch }) => {
      const once = async () => (await fetch('/api/once')).text();
      assert.is(await once(), await once());
    },
  },
  compression: {
    files: { 'api/long.js': route('get', `() => 'long '.repeat(1000)`) },
    broken: {
      'api/wrong.js': `${route('get', '() => 1').trim().slice(0, -1)}.meta({ compression: 'no' });\n`,
    },
    config: { compression: true },
    works: async ({ url }) => {
      const request = get(new URL('/api/long', url), { headers: { 'accept-encoding': 'gzip' } });
      const [response] = await once(request, 'response');
      response.resume();
      assert.is(response.headers['content-encoding'], 'gzip');
    },
  },
  sse: {
    files: {
      'api/events.js': sseRoute(`({ send }) => send('sent')`),
    },
    works: async ({ fetch }) => assert.match(await (await fetch('/api/events')).text(), 'sent'),
  },
  session: {
    files: {
      'di/cart.js': di('session', `() => ({ count: 0 })`),
      'api/count.js': route('get', '(req, res, ctx) => ++ctx.cart.count'),
    },
    works: async ({ fetch }) =>
      assert.match((await fetch('/api/count')).headers.get('set-cookie') ?? '', '='),
  },
  health: {
    files: {
      'services/store.js': service('() => 1, { health: () => true }'),
    },
    works: text('{"status":"ok"}', '/readyz'),
  },
  'load-shedding': { files: plain, works: text('{"a":1}', '/api/plain') },
  csrf: {
    files: { ...plain, 'api/any.js': tells('all', 'any') },
    config: { csrf: { when: 'always' } },
    broken: { 'api/wrong.get.js': `${tells('get', 'wrong').replace(/;\n$/, '')}.meta({ csrf: true });\n` },
    works: async ({ fetch }) => {
      const headers = { 'sec-fetch-site': 'cross-site', cookie: 'a=b' };
      assert.is((await fetch('/api/any', { method: 'PUT', headers })).status, 403);
    },
  },
  'rate-limit': {
    files: { ...plain, 'api/any.js': tells('all', 'any') },
    config: { rateLimit: { limit: 1_000, paths: { '/api/none': { limit: 1, window: 3_600 } } } },
    broken: {
      'api/wrong.js': `${tells('get', 'wrong').replace(/;\n$/, '')}.meta({ rateLimit: { limit: 0 } });\n`,
    },
    works: async ({ fetch }) => {
      const { headers } = await fetch('/api/plain');
      assert.is(headers.get('ratelimit-policy'), '"ip-60s";q=1000;w=60');
    },
  },
  idempotency: {
    files: {
      'api/once.js': route('post', '() => 1').replace(/;\s*$/, '.meta({ idempotent: true });'),
    },
    broken: {
      'api/wrong.js': route('get', '() => 1').replace(/;\s*$/, '.meta({ idempotent: true });'),
    },
    works: async ({ fetch }) => {
      const pay = () => fetch('/api/once', { method: 'POST', headers: { 'idempotency-key': 'a' } });
      await pay();
      assert.is((await pay()).headers.get('idempotent-replayed'), 'true');
    },
  },
  deprecation: {
    files: {
      'api/old.js': `${tells('get', 'old').replace(/;\n$/, '')}.meta({ deprecated: { since: '2026-01-31' } });\n`,
    },
    broken: {
      'api/wrong.js': `${tells('get', 'wrong').replace(/;\n$/, '')}.meta({ deprecated: { since: 'now' } });\n`,
    },
    works: async ({ fetch }) =>
      assert.is((await fetch('/api/old')).headers.get('deprecation'), '@1769817600'),
  },
  ws: {
    files: {
      'ws/echo.js': wsModule(`(socket) => { socket.onMessage((message) => socket.send(message)); }`),
    },
    works: async ({ url }) => {
      const socket = new WebSocket(new URL('/ws/echo', url?.replace('http', 'ws')));
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.close();
      await closed;
    },
  },
  mcp: {
    globals: ['__zod_globalConfig', '__zod_globalRegistry'],
    files: {
      'mcp/tools/add.js': `import { tool } from 'fwkit/mcp';\nexport default tool({ description: 'Adds.', handler: () => '3' });\n`,
      'mcp/skills/adding/SKILL.md': '---\nname: adding\ndescription: How to add.\n---\nCall add.\n',
    },
    works: async ({ fetch }) => {
      const clientInfo = { name: 'test', version: '1' };
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
      const response = await fetch('/mcp', {
        method: 'POST',
        headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
      });
      assert.match(await response.text(), /"tools"/);
    },
  },
  openapi: {
    files: plain,
    broken: {
      'api/_middleware.js': `${marks('1')}export const security = ['nobody'];\n`,
      'api/wrong.get.js': `${tells('get', 'wrong').replace(/;\n$/, '')}.meta({ openapi: true });\n`,
    },
    config: { openapi: { serve: true } },
    works: async ({ fetch }) => assert.match(await (await fetch('/openapi.json')).text(), '"/api/plain"'),
  },
  'security-headers': {
    files: plain,
    broken: {
      'api/plain.js': `import { get } from 'fwkit';\nexport default get(() => 1).meta({ securityHeaders: { hsts: 1 } });\n`,
    },
    config: { securityHeaders: true },
    works: async ({ fetch }) =>
      assert.is((await fetch('/nowhere')).headers.get('x-content-type-options'), 'nosniff'),
  },
  cors: {
    files: plain,
    broken: {
      'api/plain.js': `import { get } from 'fwkit';\nexport default get(() => 1).meta({ cors: { origin: 'shop' } });\n`,
    },
    config: { cors: { origin: 'https://shop.example' } },
    works: async ({ fetch }) => assert.is((await fetch('/nowhere')).headers.get('vary'), 'Origin, Accept'),
  },
  inspector: { files: plain },
  typegen: { files: plain },
  scaffold: { files: plain },
  skills: { files: plain },
};

// Built-in plugins are imported unbundled, so fixtures must import the same modules.
const compiled = (entry: string) =>
  `export * from '${pathToFileURL(path.join(repo, 'dist/app/entries', entry)).href}';\n`;
const { root } = project(
  {
    'node_modules/fwkit/package.json':
      '{ "type": "module", "exports": { ".": "./index.js", "./mcp": "./mcp.js" } }',
    'node_modules/fwkit/index.js': compiled('index.js'),
    'node_modules/fwkit/mcp.js': compiled('mcp.js'),
  },
  'js',
);

for (const plugin of sampled(builtins(), 4)) {
  test(plugin.name, async () => {
    const given = fixtures[plugin.name];
    assert.ok(given, 'there are fixtures for it');
    await testPlugin(plugin, { ...given, dir: root });
  });
}

test.run();
