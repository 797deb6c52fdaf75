import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type * as Http from '../../../app/entries/http.js';
import { installed } from '../../harness/installed.js';
import { layouts, project } from '../../harness/project.js';
import { configFile, di, middleware, route } from '../../harness/source.js';
import { comment } from '../../harness/sources.js';
import { createTestApp } from '../../harness/testing.js';

const bundle = (entry: string) =>
  pathToFileURL(path.join(installed(), `node_modules/fwkit/dist/bundle/${entry}.js`)).href;
const { isHttpRoute } = (await import(bundle('http'))) as typeof Http;

const MIDDLEWARE = middleware('(req, res, ctx, next) => next()');
const SESSION = di('session', `() => ({ items: [] })`);
const handlers = {
  'api/hello.get.ts': route('get', '() => 1'),
  'api/kept.get.ts': `${route('get', '() => 1').trim().slice(0, -1)}.meta({ cache: { maxAge: 1 } });\n`,
  'api/hello.post.ts': route('post', '() => 1'),
  'api/login.get.ts': `${route('get', '() => 1').replace(/;\n$/, '')}.meta({ rateLimit: { limit: 5 }, deprecated: { since: '2026-01-31' } });\n`,
  'api/timed.post.ts': route('post', '() => 1').replace(
    /;\s*$/,
    '.meta({ timeout: 1_000, idempotent: true });',
  ),
  'api/ticks.get.ts': route('sse', '() => {}'),
  'ws/chat.ts': route('ws', '() => {}'),
  'mcp/tools/echo.ts': `import { tool } from 'fwkit/mcp';\nexport default tool({ description: 'Echo', handler: () => 'echo' });\n`,
};

const FRONTS = {
  'fwk.config.ts': configFile(`{ cors: { origin: '*' }, securityHeaders: true }`),
};

/** The layers of every route, by its label. */
async function layersOf(root: string): Promise<Record<string, readonly string[]>> {
  process.env.SESSION_SECRET = 'x'.repeat(32);
  const app = await createTestApp({ dir: root });
  const layers = app.routes.filter(isHttpRoute).map((one) => [one.label, one.layers] as const);
  await app.close();
  return Object.fromEntries(layers);
}

for (const layout of layouts) {
  const test = suite(layout);

  test('every route lists its layers, outermost first', async () => {
    const { root } = project(
      { ...handlers, 'middlewares/1.all.ts': MIDDLEWARE, 'di/cart.ts': SESSION },
      layout,
    );
    const responding = ['session', 'json-response', 'views'];
    const inside = ['middlewares', 'json-response:null'];
    assert.equal(await layersOf(root), {
      'GET /api/hello': [...responding, ...inside],
      'GET /api/kept': [...responding, 'middlewares', 'cache', 'json-response:null'],
      'POST /api/hello': [...responding, 'csrf', 'middlewares', 'http:body', 'csrf:field'],
      'GET /api/login': [...responding, 'deprecation', 'rate-limit', ...inside],
      'POST /api/timed': [
        ...responding,
        'csrf',
        'middlewares',
        'http:body',
        'http:timeout',
        'csrf:field',
        'idempotency',
      ],
      'GET /api/ticks': [...responding, 'sse', ...inside],
      'WS /ws/chat': [...responding, 'middlewares', 'ws:guard', 'json-response:null'],
      'MCP /mcp': ['session', 'mcp:visitor', 'json-response', 'views', ...inside, 'http:body'],
    });
  });

  test('a project without a feature has no layer for it', async () => {
    const { root } = project(handlers, layout);
    const layers = await layersOf(root);
    assert.equal(layers['GET /api/hello'], ['json-response', 'views']);
    assert.equal(layers['POST /api/hello'], ['json-response', 'views']);
    assert.equal(layers['WS /ws/chat'], ['json-response', 'views', 'ws:guard', 'json-response:null']);
  });

  test('the comment in builtins.ts lists the layers in their real order', async () => {
    const { root } = project(
      { ...handlers, ...FRONTS, 'middlewares/1.all.ts': MIDDLEWARE, 'di/cart.ts': SESSION },
      layout,
    );
    const onion = /security-headers(?:[\s*›]+[\w:-]+)+/.exec(comment('app/builtins.ts'))?.[0] ?? '';
    const told = onion.split(/[\s*›]+/);
    assert.is(told.pop(), 'handler');
    const found = Object.values(await layersOf(root));
    for (const layers of found)
      assert.equal(
        layers,
        told.filter((layer) => layers.includes(layer)),
      );
    assert.equal(
      told.filter((layer) => !found.some((layers) => layers.includes(layer))),
      [],
    );
  });

  test.run();
}
