import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Dev } from '../../harness/fwk.js';
import { inspected } from '../../harness/inspected.js';
import { production } from '../../harness/production.js';
import type { Files } from '../../harness/project.js';
import { module, route } from '../../harness/source.js';

// Which pages of fwk dev have the script that says when a save is not served, and what their policies become.

const HTML = '<h1>page</h1>';
const sends = (more: string, body = `'${HTML}'`) =>
  route('get', `(req, res) => { ${more}; res.type('html').send(${body}); }`);
const config = (options: string): Files => ({
  'fwk.config.ts': module('defineConfig', `export default defineConfig(${options});`),
});

const files: Files = {
  'web/page.ts': sends(''),
  'web/bytes.ts': sends('', `Buffer.from('${HTML}')`),
  'web/stream.ts': route(
    'get',
    `(req, res) => { res.type('html'); return (async function* () { yield '<h1>'; yield 'page</h1>'; })(); }`,
  ),
  'web/cut.ts': route(
    'get',
    `(req, res) => { res.type('html'); return (async function* () { throw new Error('no piece'); })(); }`,
  ),
  'web/form.post.ts': route('post', `(req, res) => res.status(422).type('html').send('${HTML}')`),
  'web/none.ts': sends('res.status(404)'),
  'web/policy.ts': sends(`res.header(req.query.name ?? 'Content-Security-Policy', req.query.policy ?? '')`),
  'web/raw.ts': sends(`res.raw.setHeader('content-security-policy', "default-src 'none'")`),
  'web/json.ts': route('get', `() => ({ html: '${HTML}' })`),
  'web/text.ts': route('get', `() => '${HTML}'`),
  'web/wide.ts': route(
    'get',
    `(req, res) => res.type('text/html; charset=utf-16le').send(Buffer.from('${HTML}', 'utf16le'))`,
  ),
  'web/coded.ts': sends(`res.header('Content-Encoding', 'x-own')`),
  'web/download.ts': sends(`res.header('Content-Disposition', 'attachment; filename=a.html')`),
  'web/kept.ts': sends(`res.header('ETag', '"1"').header('Content-Security-Policy', "default-src 'none'")`),
  'web/long.ts': route(
    'get',
    `(req, res) => { res.type('html').raw.setHeader('content-length', 4); return (async function* () { yield '<h1>'; })(); }`,
  ),
  'web/meta.ts': sends(
    '',
    `'<meta http-equiv="Content-Security-Policy" content="default-src \\'none\\'">${HTML}'`,
  ),
  'web/fails.ts': route('get', `() => { throw new Error('it fails'); }`),
  'public/still.html': HTML,
};

const opens = { 'sec-fetch-dest': 'document' };
const script = /\n<script>(\(\(\) => \{\ndocument\.currentScript\.remove[\s\S]*)<\/script>\n$/;

/** As a browser opens a page of a server that it does not trust, by another name over http say. */
async function opened({ url }: Dev, path: string, method = 'GET') {
  const headers = { 'upgrade-insecure-requests': '1', 'accept-encoding': 'gzip' };
  const answer = await fetch(url + path, { method, headers });
  return { status: answer.status, headers: answer.headers, text: () => answer.text() };
}

const test = suite('pages that tell of a broken save');

test('what a browser opens has the script at its end, and nothing else has', () =>
  inspected(files, async ({ get, server }) => {
    for (const path of ['/page', '/bytes', '/stream', '/none', '/still.html']) {
      const { text, headers } = await get(path, opens);
      assert.is(text.replace(script, ''), HTML, path);
      assert.match(text, script, path);
      if (headers['content-length'] !== undefined)
        assert.is(headers['content-length'], String(Buffer.byteLength(text)));
      assert.is((await get(path)).text, HTML, path);
      for (const other of ['empty', 'iframe', 'script'])
        assert.is((await get(path, { 'sec-fetch-dest': other })).text, HTML, `${other} ${path}`);
    }
    const posted = await opened(server, '/form', 'POST');
    assert.equal([posted.status, script.test(await posted.text())], [422, true]);
    const headed = await opened(server, '/page', 'HEAD');
    assert.is(headed.headers.get('content-length'), String(HTML.length));
    for (const path of [
      '/json',
      '/text',
      '/wide',
      '/coded',
      '/meta',
      '/download',
      '/fails',
      '/cut',
      '/nowhere',
      '/_fwk',
    ])
      assert.not.match((await get(path, { ...opens, accept: 'text/html' })).text, script, path);
    assert.match((await get('/cut', { ...opens, accept: 'text/html' })).text, 'no piece');
    assert.match((await get('/long', opens)).text, script);
    assert.is((await get('/still.html', { ...opens, range: 'bytes=0-3' })).text, '<h1>');
  }));

test('a policy allows the script and where it asks, and nothing else in addition', () =>
  inspected(files, async ({ get, server: { url } }) => {
    const digest = await crypto.subtle.digest(
      'SHA-256',
      Buffer.from(script.exec((await get('/page', opens)).text)?.[1] ?? ''),
    );
    const hash = `'sha256-${Buffer.from(digest).toString('base64')}'`;
    const to = `${new URL(url).host}/_fwk/notice`;
    const self = "default-src 'self'";
    const cases: readonly (readonly [given: string, expected: string])[] = [
      ["default-src 'none'", `default-src 'none'; script-src-elem ${hash}; connect-src ${to}`],
      [self, `${self}; script-src-elem 'self' ${hash}`],
      ["script-src 'none'; img-src *", `script-src ${hash}; img-src *`],
      ["Script-Src 'nonce-a' 'UNSAFE-inline'", `Script-Src 'nonce-a' 'UNSAFE-inline' ${hash}`],
      ["script-src 'unsafe-inline'; connect-src *", "script-src 'unsafe-inline'; connect-src *"],
      [
        "script-src-elem x.test; script-src 'unsafe-inline'",
        `script-src-elem x.test ${hash}; script-src 'unsafe-inline'`,
      ],
      ['connect-src a.test;', `connect-src a.test ${to}`],
      [`img-src a.test, ${self}`, `img-src a.test, ${self}; script-src-elem 'self' ${hash}`],
      ["style-src 'self'", "style-src 'self'"],
    ];
    for (const name of ['Content-Security-Policy', 'Content-Security-Policy-Report-Only'])
      for (const [given, expected] of cases) {
        const path = `/policy?name=${name}&policy=${encodeURIComponent(given)}`;
        assert.is((await get(path, opens)).headers[name.toLowerCase()], expected);
        assert.is((await get(path)).headers[name.toLowerCase()], given);
      }
    const { status, headers } = await get('/kept', { ...opens, 'if-none-match': '"1"' });
    assert.equal([status, headers['content-security-policy']], [304, cases[0]?.[1]]);
    assert.is((await get('/raw', opens)).headers['content-security-policy'], cases[0]?.[1]);
  }));

test('what is recorded of a page is what the app sent', () =>
  inspected(
    { ...files, ...config('{ compression: { threshold: 0 } }') },
    async ({ get, newest, server: { url } }) => {
      const given = "default-src 'self'";
      const policy = `/policy?policy=${encodeURIComponent(given)}`;
      for (const [path, coding] of ['/page', '/bytes', policy].flatMap((one) => [
        [one, 'identity'],
        [one, 'gzip'],
      ])) {
        const answer = await fetch(new URL(`${path}`, url), {
          headers: { 'upgrade-insecure-requests': '1', 'accept-encoding': `${coding}` },
        });
        assert.match(await answer.text(), script, path);
        const { headers, body } = Object(await newest('answer'));
        assert.equal(body, { bytes: HTML.length, text: HTML }, `${path} ${coding}`);
        const sent = new Map<string, string>(headers);
        const names = new Map([...sent].map(([name, value]) => [name.toLowerCase(), value]));
        if (coding === 'identity') assert.is(names.get('content-length'), String(HTML.length), path);
        if (path === policy) assert.is(names.get('content-security-policy'), given);
      }
      await get('/raw', opens);
      assert.match(JSON.stringify(await newest('answer', 'headers')), `"default-src 'none'"`);
      await get('/stream', opens);
      assert.not.match(JSON.stringify(await newest('answer')), 'fwk-notice');
    },
  ));

test('it is there beside security headers and compression, and whoever is a stranger has none', () =>
  inspected(
    { ...files, ...config('{ securityHeaders: true, compression: { threshold: 0 } }') },
    async ({ get, server }) => {
      for (const path of ['/page', '/stream', '/still.html']) {
        const { headers, text } = await opened(server, path);
        assert.is(headers.get('content-encoding'), 'gzip', path);
        assert.match(await text(), script, path);
        const policy = headers.get('content-security-policy') ?? '';
        assert.match(policy, / script-src 'self'(?: 'nonce-\S+')? 'sha256-/);
      }
      const outside = { ...opens, 'x-forwarded-for': '192.0.2.1' };
      const { headers, text } = await get('/page', outside);
      assert.is(text, HTML);
      assert.not.match(String(headers['content-security-policy']), 'sha256');
      const crossed = await get('/_fwk/notice', { 'sec-fetch-site': 'cross-site' });
      assert.is(crossed.status, 403);
      assert.is((await server.fetch('/_fwk/notice', { method: 'POST' })).status, 405);
    },
  ));

test('without the dev page, and in production, nothing of it is there', async () => {
  await inspected({ ...files, ...config("{ disable: ['inspector'] }") }, async ({ get }) => {
    assert.is((await get('/page', opens)).text, HTML);
    assert.is((await get('/_fwk/notice')).status, 404);
  });
  const site = await production({ ...files, ...config('{ securityHeaders: true }') });
  for (const path of ['/page', '/stream', '/still.html']) {
    const { text, headers } = await site.raw(path, { headers: opens });
    assert.is(text, HTML);
    assert.not.match(String(headers['content-security-policy']), 'sha256');
  }
  assert.is((await site.raw('/_fwk/notice', { headers: opens })).status, 404);
  await site.stop();
});

test.run();
