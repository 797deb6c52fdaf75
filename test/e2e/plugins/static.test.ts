import { symlinkSync } from 'node:fs';
import { suite, type Test } from 'uvu';
import * as assert from 'uvu/assert';
import { dev } from '../../harness/fwk.js';
import { type Answer, request, type Sent } from '../../harness/http.js';
import { production } from '../../harness/production.js';
import { type Files, type Layout, layouts, type Project, project } from '../../harness/project.js';
import { route, tells } from '../../harness/source.js';

const files: Files = {
  'public/index.html': '<h1>home</h1>',
  'public/docs/index.html': '<h1>docs</h1>',
  'public/docs/page.html': '<p>page</p>',
  'public/app.js': 'original();',
  'public/app.js.br': 'as brotli',
  'public/app.js.gz': 'as gzip',
  'public/ten.txt': '0123456789',
  'public/empty.txt': '',
  'public/a b%é.txt': 'named',
  'public/unknown.zzz': '?',
  'public/.secret': 'secret',
  'public/.git/config': 'secret',
  'public/.well-known/security.txt': 'contact',
  'public/api/taken': 'the file',
  'public/api/posted': 'the file',
  'secret.txt': 'secret',
  'outside/secret.txt': 'secret',
  'api/taken.ts': tells('get', 'route'),
  'api/posted.ts': tells('post', 'route'),
  'api/null.ts': route('get', '() => null'),
};

function links(made: Project): void {
  const link = (to: string, name: string) => symlinkSync(to, made.path(`public/${name}`));
  link('docs', 'link-directory');
  link('ten.txt', 'link-in');
  link('../secret.txt', 'link-out');
  link('../outside', 'link-out-directory');
  link('.secret', 'link-hidden');
  link('nothing', 'link-broken');
}

/** How a project is served: `fwk dev` in both layouts, and production. */
interface Site {
  readonly project: Project;
  raw(path: string, sent?: Sent): Promise<Answer>;
  stop(): Promise<unknown>;
}

const developed = (layout: Layout) => async (): Promise<Site> => {
  const made = project(files, layout);
  links(made);
  const { url, stop } = await dev(made);
  return { project: made, raw: (path, sent) => request(url, path, sent), stop };
};

everywhere({
  ...Object.fromEntries(layouts.map((layout) => [layout, developed(layout)])),
  production: () => production(files, links),
});

function everywhere(ways: Readonly<Record<string, () => Promise<Site>>>): void {
  for (const [name, open] of Object.entries(ways)) {
    const test = suite(name);
    let running: Site | undefined;
    const raw: Site['raw'] = async (path, sent) => {
      running ??= await open();
      return running.raw(path, sent);
    };
    test.after(async () => void (await running?.stop()));
    cases(test, raw);
    test.run();
  }
}

function cases(test: Test, raw: Site['raw']): void {
  test('a file is sent with its type, length and validators', async () => {
    for (const [path, type, text] of [
      ['/ten.txt', 'text/plain; charset=utf-8', '0123456789'],
      ['/docs/page.html', 'text/html; charset=utf-8', '<p>page</p>'],
      ['/a%20b%25%C3%A9.txt', 'text/plain; charset=utf-8', 'named'],
      ['/empty.txt', 'text/plain; charset=utf-8', ''],
      ['/unknown.zzz', 'application/octet-stream', '?'],
      ['/.well-known/security.txt', 'text/plain; charset=utf-8', 'contact'],
      ['/ten.txt?v=2', 'text/plain; charset=utf-8', '0123456789'],
      ['/link-directory/page.html', 'text/html; charset=utf-8', '<p>page</p>'],
      ['/link-in', 'application/octet-stream', '0123456789'],
    ] as const) {
      const { status, headers, text: sent } = await raw(path);
      assert.equal([status, headers['content-type'], sent], [200, type, text], path);
      assert.is(headers['content-length'], String(text.length), path);
      assert.match(String(headers.etag), /^(W\/)?"[^"]+"$/);
      assert.not.equal(Number(new Date(headers['last-modified'] ?? '')), Number.NaN);
      const head = await raw(path, { method: 'HEAD' });
      assert.equal([head.status, head.text, head.headers['content-length']], [200, '', `${text.length}`]);
    }
  });

  test('a directory is its index.html', async () => {
    for (const [path, text] of Object.entries({ '/': 'home', '/docs/': 'docs' }))
      assert.is((await raw(path)).text, `<h1>${text}</h1>`, path);
    // Without the slash, its relative links would point elsewhere.
    const { status, headers } = await raw('/docs?page=1');
    assert.equal([status, headers.location], [301, './docs/?page=1']);
  });

  test('a route takes precedence; a file answers only methods that the route lacks', async () => {
    assert.is((await raw('/api/taken')).text, '{"at":"route","method":"GET","params":{}}');
    assert.is((await raw('/api/null')).status, 404);
    assert.is((await raw('/api/posted')).text, 'the file');
    assert.match((await raw('/api/posted', { method: 'POST' })).text, 'route');
    assert.is((await raw('/api/posted', { method: 'PUT' })).status, 405);
  });

  test('accepts only GET and HEAD', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const { status, headers } = await raw('/ten.txt', { method });
      assert.equal([status, headers.allow], [405, 'GET, HEAD'], method);
      assert.is((await raw('/none.txt', { method })).status, 404, method);
    }
  });

  const nowhere = `/nothing.txt /ten.txt/ /docs/page.html/ /docs/nothing/ /public/ten.txt /secret.txt
    /../secret.txt /%2e%2e/secret.txt /..%2fsecret.txt /%2e%2e%2fsecret.txt /docs/../../secret.txt
    /docs/%2e%2e/%2e%2e/secret.txt /..\\secret.txt /..%5csecret.txt /docs\\page.html /docs%5cpage.html
    /docs%2fpage.html /docs%2Fpage.html /ten.txt%00 /%00 /ten.txt%00.html //ten.txt /./ten.txt /docs//page.html
    /docs/../ten.txt /.secret /%2esecret /.git/config /.git/ /link-out /link-out-directory/secret.txt /link-hidden
    /link-broken`;
  for (const path of nowhere.split(/\s+/))
    test(`${path} is a 404`, async () => {
      const { status, text } = await raw(path);
      assert.is(status, 404);
      assert.not.match(text, /secret$|0123|page</);
    });

  test('ranges', async () => {
    for (const [range, status, text, expected] of [
      ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
      ['bytes=5-', 206, '56789', 'bytes 5-9/10'],
      ['bytes=-3', 206, '789', 'bytes 7-9/10'],
      ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
      ['bytes=20-', 416, '', 'bytes */10'],
      ['bytes=5-2', 416, '', 'bytes */10'],
      ['items=0-2', 200, '0123456789', undefined],
      ['bytes=0-1,4-5', 200, '0123456789', undefined],
    ] as const) {
      const answer = await raw('/ten.txt', { headers: { range } });
      assert.equal(
        [answer.status, answer.text, answer.headers['content-range']],
        [status, text, expected],
        range,
      );
      assert.is(answer.headers['content-length'], String(text.length), range);
    }
    const { headers } = await raw('/ten.txt');
    assert.is(headers['accept-ranges'], 'bytes');
    const stale = await raw('/ten.txt', { headers: { range: 'bytes=2-4', 'if-range': '"other"' } });
    assert.equal([stale.status, stale.text], [200, '0123456789']);
    const head = await raw('/ten.txt', { method: 'HEAD', headers: { range: 'bytes=2-4' } });
    assert.equal([head.status, head.headers['content-length']], [200, '10']);
  });

  test('answers 304 if the client has the file', async () => {
    const {
      etag,
      'last-modified': modified = '',
      'cache-control': caching,
    } = (await raw('/ten.txt')).headers;
    // Node's fetch sends no-cache with every conditional request.
    for (const headers of [
      { 'if-none-match': etag },
      { 'if-modified-since': modified },
      { 'if-none-match': etag, 'cache-control': 'no-cache' },
    ]) {
      const answer = await raw('/ten.txt', { headers });
      assert.equal([answer.status, answer.text], [304, '']);
      assert.equal([answer.headers.etag, answer.headers['cache-control']], [etag, caching]);
      assert.is(answer.headers['content-type'], undefined);
    }
    assert.is((await raw('/ten.txt', { headers: { 'if-none-match': '"other"' } })).status, 200);
    assert.is((await raw('/ten.txt', { headers: { 'if-match': '"other"' } })).status, 412);
  });

  test('sends a precompressed variant to clients that accept it', async () => {
    for (const [accepted, encoding, text] of [
      ['gzip, deflate, br', 'br', 'as brotli'],
      ['gzip', 'gzip', 'as gzip'],
      ['br;q=0, gzip;q=0.5', 'gzip', 'as gzip'],
      ['*', 'br', 'as brotli'],
      ['gzip;q=0, identity', undefined, 'original();'],
      ['', undefined, 'original();'],
    ] as const) {
      const { headers, text: sent } = await raw('/app.js', { headers: { 'accept-encoding': accepted } });
      assert.equal([headers['content-encoding'], sent], [encoding, text], accepted);
      assert.match(String(headers['content-type']), /^(application|text)\/javascript/);
      assert.is(headers['content-length'], String(text.length));
      assert.is(headers.vary, 'Accept-Encoding');
    }
    const [one, other] = await Promise.all([
      raw('/app.js', { headers: { 'accept-encoding': 'br' } }),
      raw('/app.js'),
    ]);
    assert.is.not(one.headers.etag, other.headers.etag);
    assert.is((await raw('/ten.txt', { headers: { 'accept-encoding': 'br' } })).headers.vary, undefined);
  });
}
