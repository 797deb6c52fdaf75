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
