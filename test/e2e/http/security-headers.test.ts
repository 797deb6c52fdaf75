import type { Browser } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { browser, hasBrowser } from '../../harness/browser.js';
import { dev } from '../../harness/fwk.js';
import { type Answer, request, type Sent } from '../../harness/http.js';
import { project } from '../../harness/project.js';
import { refusal } from '../../harness/refusal.js';
import { route } from '../../harness/source.js';
import { answering, files } from './security-headers-project.js';

// The headers that browsers guard pages by: the cases of helmet among others, and pages in Chromium.

const made = project(files);
const site = await dev(made);
const raw = (path: string, sent?: Sent): Promise<Answer> => request(site.url, path, sent);
const csp = ({ headers }: Answer): string => String(headers['content-security-policy']);
const DATA = "default-src 'none'; frame-ancestors 'none'";
const PAGES =
  "default-src 'self'; base-uri 'self'; font-src 'self' data:; form-action 'self'; frame-ancestors 'self'; img-src 'self' data:; object-src 'none'; script-src 'self'; script-src-attr 'none'; style-src 'self' 'unsafe-inline'";

const PAGE_PATHS = ['/index.html', '/own.js', '/page'];

const test = suite('security headers');
test.after(() => site.stop().then(() => {}));

test('every response has them', async () => {
  for (const path of [
    '/api/things',
    '/api/nowhere',
    '/api/crash',
    '/index.html',
    '/own.js',
    '/page',
    '/ws/chat',
    '/api/%zz',
    '/openapi.json',
  ]) {
    const { headers } = await raw(path);
    assert.is(headers['x-content-type-options'], 'nosniff', path);
    const frames = PAGE_PATHS.includes(path) ? 'SAMEORIGIN' : 'DENY';
    assert.is(headers['x-frame-options'], frames, path);
    assert.is(headers['referrer-policy'], 'strict-origin-when-cross-origin', path);
    assert.is(headers['cross-origin-opener-policy'], 'same-origin', path);
    assert.is(headers['cross-origin-resource-policy'], 'same-origin', path);
    assert.is(headers['origin-agent-cluster'], '?1', path);
    if (path !== '/ws/chat') assert.match(String(headers.vary), 'Origin', path);
    for (const name of [
      'strict-transport-security',
      'permissions-policy',
      'cross-origin-embedder-policy',
      'x-powered-by',
      'server',
    ])
      assert.is(headers[name], undefined, `${path} ${name}`);
  }
  const wrong = await raw('/api/things', {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  });
  assert.equal([wrong.status, wrong.headers['x-content-type-options']], [405, 'nosniff']);
});

test('X-Frame-Options agrees with the policy of each response', async () => {
  const frames = async (path: string, sent?: Sent) => (await raw(path, sent)).headers['x-frame-options'];
  assert.is(await frames('/api/things', { method: 'OPTIONS' }), 'DENY', 'without a body');
  assert.is(await frames('/api/listed'), 'DENY', 'where pages have none');
  assert.is(await frames('/api/framed'), undefined);
  assert.is(await frames('/api/events'), 'DENY', 'of a stream');
  assert.is(await frames('/stream'), 'SAMEORIGIN');
  assert.is(await frames('/api/said'), 'SAMEORIGIN', 'of a handler');
});

test('pages get a policy for their resources, and data a policy that allows nothing', async () => {
  for (const path of ['/api/things', '/api/nowhere', '/api/crash', '/openapi.json'])
    assert.is(csp(await raw(path)), DATA, path);
  for (const path of ['/index.html', '/own.js', '/still', '/bad'])
    assert.is(csp(await raw(path)).replace(/ 'nonce-[^']+'/, ''), PAGES, path);
});

test('a view gets a new nonce for each response, but only if it reads one', async () => {
  const [one, two] = [await raw('/page'), await raw('/page')];
  const [, nonce = ''] = /script-src 'self' 'nonce-([\w+/]{22}==)'/.exec(csp(one)) ?? [];
  assert.match(one.text, `<script nonce="${nonce}">`);
  assert.match(one.text, `<style nonce="${nonce}">`);
  assert.not.match(csp(two), nonce);
  assert.is(csp(one).replace(` 'nonce-${nonce}'`, ''), PAGES);
  const stream = await raw('/stream');
  assert.match(csp(stream), `'nonce-${stream.text.slice(3)}'`);
  const strict = await raw('/api/strict');
  assert.match(csp(strict), `default-src 'none'`);
  assert.match(csp(strict), `style-src 'nonce-${strict.text}'`);
  assert.match(csp(strict), `script-src 'nonce-${strict.text}'`);
});

test('a 304 leaves the policy of the cached response unchanged', async () => {
  const kept = await raw('/still', { headers: { 'if-none-match': '"1"' } });
  assert.equal([kept.status, kept.headers['content-security-policy']], [304, undefined]);
  assert.is(kept.headers['x-frame-options'], undefined);
  assert.is(kept.headers['x-content-type-options'], 'nosniff');
});

test('sends Strict-Transport-Security only over https', async () => {
  const https = await raw('/still', { headers: { 'x-forwarded-proto': 'https' } });
  assert.is(https.headers['strict-transport-security'], 'max-age=31536000');
  assert.is(csp(https), `${PAGES}; upgrade-insecure-requests`);
  const http = await raw('/still', { headers: { 'x-forwarded-proto': 'http' } });
  assert.is(http.headers['strict-transport-security'], undefined);
  const own = await raw('/api/framed', { headers: { 'x-forwarded-proto': 'https' } });
  assert.is(own.headers['strict-transport-security'], 'max-age=5; includeSubDomains');
});

test('options of a route and headers of a handler take precedence', async () => {
  const own = await raw('/api/own');
  assert.equal(
    [csp(own), own.headers['x-frame-options'], own.headers['referrer-policy']],
    ["default-src 'none'", 'DENY', 'origin'],
  );
  const off = await raw('/api/off');
  assert.equal(
    [off.headers['content-security-policy'], off.headers['x-content-type-options']],
    [undefined, undefined],
  );
  const framed = await raw('/api/framed');
  assert.match(csp(framed), 'frame-ancestors https://a.example https://b.example; img-src https:;');
  assert.not.match(csp(framed), 'style-src');
  assert.equal(
    [framed.headers['x-frame-options'], framed.headers['cross-origin-resource-policy']],
    [undefined, undefined],
  );
  assert.is(
    framed.headers['permissions-policy'],
    'camera=(), geolocation=(self "https://maps.example"), usb=*',
  );
  const denied = await raw('/api/denied');
  assert.is(denied.headers['content-security-policy'], undefined);
  assert.match(
    String(denied.headers['content-security-policy-report-only']),
    /script-src 'self'.*; report-to main$/,
  );
  assert.equal(
    [denied.headers['x-frame-options'], denied.headers['reporting-endpoints']],
    ['DENY', 'main="https://r.example/csp"'],
  );
  const bare = await raw('/api/bare', { headers: { 'x-forwarded-proto': 'https' } });
  const names = Object.keys(bare.headers).filter((name) =>
    /^(?:x-|cross|origin|referrer|content-sec|strict|permi)/.test(name),
  );
  assert.equal(names.sort(), [
    'cross-origin-embedder-policy',
    'cross-origin-resource-policy',
    'x-frame-options',
  ]);
});

if (hasBrowser)
  test('in Chromium, pages run only allowed scripts, and pages of fwk violate no policy', async () => {
    const chromium: Browser = await browser();
    try {
      const page = await chromium.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (/Content.Security.Policy|Refused|violat/i.test(message.text())) complaints.push(message.text());
      });
      await page.goto(`${site.url}/page`);
      const told = await page.evaluate(
        `[document.title, document.documentElement.dataset.own, getComputedStyle(document.querySelector('h1')).margin]`,
      );
      assert.equal(told, ['ran', 'ran', '0px']);
      for (const path of ['/', '/_fwk/docs', '/crash', '/nowhere']) await page.goto(site.url + path);
      assert.equal(complaints, []);
      await page.goto(`${site.url}/crash`);
      const again = page.waitForEvent('load');
      made.write('web/crash.get.ts', route('get', `() => { throw new Error('broken again'); }`));
      await again;
      await page.getByText('broken again').first().waitFor();
      assert.equal(complaints, []);
      await page.goto(`${site.url}/bad`);
      assert.is(await page.title(), '');
      assert.is(complaints.length, 1, complaints.join());
    } finally {
      await chromium.close();
    }
  });

test('reports invalid options at boot', async () => {
  const wrong = project({
    'api/a.ts': answering(
      `{ csp: { 'scrpt-src': [] , 'script-src': ['self', "'nonce-abc'", 'a; b'], 'img-src': 'data:' } }`,
    ),
    'api/b.ts': answering(`{ hsts: { preload: true }, nosnif: true, referrerPolicy: 'none' }`),
  });
  const stderr = await refusal(wrong, 'routes');
  for (const sentence of [
    'src/api/a.ts: has .meta({ securityHeaders }), which in its csp has no directive "scrpt-src". The directives are base-uri,',
    `in its csp has "self" in "script-src", which would be the name of a host. Write "'self'", with single quotes in it.`,
    `has 'nonce-abc' in "script-src": a nonce that never changes protects from nothing. Use it.nonce in templates, res.nonce in handlers.`,
    'in its csp has "a; b" in "script-src". Each source is a separate string without spaces, commas and semicolons.',
    `in its csp needs a list of sources for "img-src", such as ["'self'"], or false.`,
    'src/api/b.ts: has .meta({ securityHeaders }), which has hsts: {"preload":true}. Make it an object with maxAge in seconds',
    'which has "nosnif", which is not an option (csp,',
    'which has referrerPolicy: "none". Make it "strict-origin-when-cross-origin",',
  ])
    assert.ok(stderr.includes(sentence), `${sentence}\n${stderr}`);
});

test.run();
