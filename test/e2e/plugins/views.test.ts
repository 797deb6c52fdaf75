import * as assert from 'uvu/assert';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { route } from '../../harness/source.js';

// view(name, data): HTML from views/.

const files: Files = {
  'views/hello.eta': '<h1><%= it.name %></h1><%~ it.html %>\n',
  'views/mail/letter.eta': `<% layout('/base', { title: 'Letter' }) %><%~ include('/mail/sign', { by: it.by }) %>`,
  'views/mail/sign.eta': '<i><%= it.by %></i>',
  'views/base.eta': '<title><%= it.title %></title><main><%~ it.body %></main>',
  'views/broken.eta': '<% throw new Error("in the template") %>',
  'web/hello.ts': route('get, view', `() => view('hello', { name: '<b> & é', html: '<br>' })`),
  'api/hello.ts': route('get, view', `async () => view('hello', { name: 'api', html: '' })`),
  'web/letter.ts': route('get, view', `() => view('mail/letter', { by: 'me' })`),
  'web/status.ts': route(
    'get, view',
    `(req, res) => { res.status(203); return view('hello', { name: '', html: '' }); }`,
  ),
  'web/typed.ts': route(
    'get, view',
    `(req, res) => { res.type('text/plain'); return view('hello', { name: '', html: '' }); }`,
  ),
  'web/missing.ts': route('get, view', `() => view('nowhere', {})`),
  'web/outside.ts': route('get, view', `() => view('../package.json', {})`),
  'web/broken.ts': route('get, view', `() => view('broken', {})`),
  'web/none.ts': route('get', `() => null`),
};

served(files, (test, site) => {
  test('a view is a page, its values escaped', async () => {
    const { status, headers, text } = await site.raw('/hello');
    assert.is(status, 200);
    assert.match(String(headers['content-type']), /^text\/html; ?charset=utf-8$/i);
    assert.match(text, '<h1>&lt;b&gt; &amp; é</h1><br>');
    assert.is(headers['content-length'], String(Buffer.byteLength(text)));
  });

  test('a route under api/ may give one too', async () => {
    const { headers, text } = await site.raw('/api/hello');
    assert.match(String(headers['content-type']), /^text\/html\b/);
    assert.match(text, '<h1>api</h1>');
  });

  test('layouts, partials and folders', async () => {
    assert.match((await site.raw('/letter')).text, '<title>Letter</title><main><i>me</i></main>');
  });

  test('status and type set before hold', async () => {
    assert.is((await site.raw('/status')).status, 203);
    assert.match(String((await site.raw('/typed')).headers['content-type']), /^text\/plain\b/);
  });

  test('HEAD of a page has no body', async () => {
    const { status, headers, text } = await site.raw('/hello', { method: 'HEAD' });
    assert.equal([status, text], [200, '']);
    assert.match(String(headers['content-type']), /^text\/html\b/);
  });

  test('a template that is missing, outside of views/ or throws is a 500 that is told', async () => {
    for (const [path, told] of [
      ['/missing', /nowhere/],
      ['/outside', /\.\.\/package/],
      ['/broken', /in the template/],
    ] as const) {
      const from = site.dev.output.mark();
      assert.is((await site.raw(path)).status, 500, path);
      await site.dev.waitFor(told, from);
    }
    assert.is((await site.raw('/hello')).status, 200);
  });

  test('a changed template shows at the next request', async () => {
    site.project.write('views/hello.eta', '<h2><%= it.name %></h2>');
    assert.match((await site.raw('/api/hello')).text, '<h2>api</h2>');
  });
});
