import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, launch, start } from '../../harness/fwk.js';
import { connect } from '../../harness/http.js';
import { installed } from '../../harness/installed.js';
import { nodes } from '../../harness/nodes.js';
import { type Files, project } from '../../harness/project.js';
import { build, MAIN, production, TSCONFIG } from '../../harness/settings.js';
import { di, module, route, service } from '../../harness/source.js';

const files: Files = {
  'tsconfig.json': TSCONFIG,
  'main.ts': MAIN,
  'services/store.ts': service(`async (ctx, { onDestroy }) => {
       onDestroy(() => console.log('[destroyed]'));
       return { name: 'store' };
     }`),
  'di/visitor.ts': di('request', `(ctx, { req }) => req?.header('x-name')`),
  'api/users/[id].get.ts': route(
    '(req, res, ctx) => ({ id: req.params.id, q: req.query.q, by: ctx.visitor, of: ctx.store.name })',
  ),
  'api/echo.post.ts': route('post', `(req, res) => { res.cookie('a', '1'); return req.body; }`),
  'api/stream.get.ts': route('get', `async function* () { yield 'a'; yield 'b'; }`),
  'mcp/tools/hello.ts': `import { tool } from 'fwkit/mcp';
export default tool({ handler: () => 'hello' });`,
  'api/heard.post.ts': module(
    'type HttpRequest, post',
    `import type { Readable } from 'node:stream';
     export default post(async ({ body }: HttpRequest<never, Readable>) => {
       let size = 0;
       await new Promise((resolve) => body.on('data', (piece: Buffer) => { size += piece.length; }).on('end', resolve));
       return { size };
     }).meta({ body: 'stream' });`,
  ),
  'api/fails.get.ts': route('get', `() => {\n  throw new Error('on purpose');\n}`),
};

const built = project(files);
await build(built);

for (const [name, node] of nodes()) {
  const test = suite(name);

  async function answers(url: string): Promise<void> {
    const user = await fetch(`${url}/api/users/7?q=x`, { headers: { 'x-name': 'Ada' } });
    assert.equal(await user.json(), { id: '7', q: 'x', by: 'Ada', of: 'store' });
    const headers = { 'content-type': 'application/json' };
    const echoed = await fetch(`${url}/api/echo`, { method: 'POST', headers, body: '{"a":[1]}' });
    assert.equal([await echoed.json(), echoed.headers.get('set-cookie')], [{ a: [1] }, 'a=1; Path=/']);
    assert.is(await (await fetch(`${url}/api/stream`)).text(), 'ab');
    const head = await fetch(`${url}/api/users/7`, { method: 'HEAD' });
    assert.equal([head.status, await head.text()], [200, '']);
    assert.is((await fetch(`${url}/api/users/7`, { method: 'DELETE' })).status, 405);
    assert.is((await fetch(`${url}/api/fails`)).status, 500);
    const bare = await connect(url);
    bare.send('POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\r\n');
    assert.match(await bare.read(/not valid JSON/), /^HTTP\/1\.1 400 /);
    bare.send('POST /api/heard HTTP/1.1\r\nhost: localhost\r\n\r\n');
    assert.match(await bare.read(/\{"size":\d+\}$/), '{"size":0}');
    bare.close();
  }

  test('serves the build', async () => {
    const { child, end, url } = await production(built, 'dist/main.js', node);
    await answers(url);
    child.kill('SIGTERM');
    const { status, stdout } = await end;
    assert.is(status, 0);
    assert.match(stdout, '[destroyed]');
  });

  test('serves the sources with fwk dev, and prints the routes', async () => {
    const bin = path.join(installed(), 'node_modules/fwkit/cli/fwk.js');
    const table = await ended(start(node, [bin, 'routes'], built.root), 'fwk routes');
    assert.is(
      table.stdout,
      'POST /api/echo\nGET /api/fails\nPOST /api/heard\nGET /api/stream\nGET /api/users/:id\nMCP /mcp\n',
      table.stderr,
    );
    assert.is(table.stderr, '');

    const { output, stop } = launch(node, [bin, 'dev', '--port', '0'], built.root);
    const [, url = ''] = await output.waitFor(/(http:\/\/\S+:\d+)\/$/m);
    await answers(url);
    // The logged stack points into the source.
    await output.waitFor(/fails\.get\.ts:3:\d+/);
    await stop();
  });

  test.run();
}
