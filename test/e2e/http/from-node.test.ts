import * as assert from 'uvu/assert';
import { connect } from '../../harness/http.js';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { middleware, route } from '../../harness/source.js';

const files: Files = {
  'middlewares/1.mark.ts': middleware(
    `(req, res, ctx, next) => { res.header('x-mark', 'yes').cookie('a', '1'); return next(); }`,
  ),
  'web/app/[...rest].ts': `import { createRequire } from 'node:module';
import { fromNode } from 'fwkit';
const express = createRequire(process.env.FWK_TEST_EXPRESS)('express');
const app = express();
app.use(express.json());
app.post('/app/echo', (req, res) => void res.status(201).json(req.body));
app.get('/app/fails', () => { throw new Error('in Express'); });
app.get('/app/waits', (req, res) => { globalThis.waiting = true; res.on('close', () => { globalThis.left = true; }); });
export default fromNode(app);
`,
  'web/plain.ts': `import { fromNode } from 'fwkit';
export default fromNode(async (raw, out) => {
  if (raw.method === 'DELETE') throw new Error('not this way');
  out.end(raw.method + ' ' + raw.url);
});
`,
  'web/kept/[way].ts': `import { fromNode } from 'fwkit';
const value = 'public, s-maxage=5, max-age=60';
export default fromNode((raw, out) => {
  if (raw.url.endsWith('/set')) out.setHeader('cache-control', value);
  else if (raw.url.endsWith('/head')) out.writeHead(201, 'Fine', { 'Cache-Control': value, 'X-List': ['a', 'b'] });
  else if (raw.url.endsWith('/list')) out.writeHead(201, ['X-List', 'a', 'X-List', 'b', 'cache-control', value]);
  out.end('kept');
});
`,
  'api/state.ts': route('() => ({ left: globalThis.left === true, waiting: globalThis.waiting === true })'),
};

process.env.FWK_TEST_EXPRESS = import.meta.url;

served(files, (test, site) => {
  const { raw } = site;

  test('an Express application reads the body, and headers of middlewares are sent', async () => {
    const headers = { 'content-type': 'application/json' };
    const {
      status,
      json,
      headers: got,
    } = await raw('/app/echo', { method: 'POST', body: '{"a":1}', headers });
    assert.equal([status, json, got['x-mark'], got['set-cookie']], [201, { a: 1 }, 'yes', ['a=1; Path=/']]);
  });

  test('a response with a cookie of a middleware is private, whatever the handler sets', async () => {
    const got = async (way: string) => {
      const { status, headers, text } = await raw(`/kept/${way}`);
      return [status, headers['cache-control'], headers['x-list'], headers['set-cookie'], text];
    };
    const cookies = ['a=1; Path=/'];
    assert.equal(await got('none'), [200, 'private', undefined, cookies, 'kept']);
    assert.equal(await got('set'), [200, 'private, max-age=60', undefined, cookies, 'kept']);
    assert.equal(await got('head'), [201, 'private, max-age=60', 'a, b', cookies, 'kept']);
    assert.equal(await got('list'), [201, 'private, max-age=60', 'a, b', cookies, 'kept']);
  });

  test('next() is a 404, and an error is a 500', async () => {
    assert.is((await raw('/app/nothing')).status, 404);
    assert.is((await raw('/app/fails')).status, 500);
    assert.is((await raw('/plain', { method: 'DELETE' })).status, 500);
    assert.is((await raw('/plain?x=1', { method: 'PUT' })).text, 'PUT /plain?x=1');
  });

  test('a client that disconnects ends the request', async () => {
    const connection = await connect(site.dev.url);
    connection.send('GET /app/waits HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const state = async () => (await raw('/api/state')).json as { left: boolean; waiting: boolean };
    while (!(await state()).waiting);
    connection.close();
    while (!(await state()).left);
  });
});
