import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { production } from '../../harness/production.js';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { route } from '../../harness/source.js';

// view(name, data) renders HTML from views/. Errors of a missing or faulty template name the file, and the line if
// known.

const shows = (name: string) => route('get, view', `() => view(${JSON.stringify(name)}, { name: 'it' })`);

const files: Files = {
  'views/hello.eta': '<h1><%= it.name %></h1><%~ it.html %>\n',
  'views/mail/letter.eta': `<% layout('/base', { title: 'Letter' }) %><%~ include('/mail/sign', { by: it.by }) %>`,
  'views/mail/sign.eta': '<i><%= it.by %></i>',
  'views/base.eta': '<title><%= it.title %></title><main><%~ it.body %></main>',
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
  'views/good.eta': '<p><%= it.name %></p>',
  'views/v1.2.eta': '<p>dotted</p>',
  'views/throws.eta': '<p>\n<% const nobody = undefined %>\n<%= nobody.name %>\n</p>',
  'views/parts/throws.eta': '\n<%= it.nobody.name %>',
  'views/parts/frame.eta': '<main>\n\n\n<%= it.nobody.name %>\n<%~ it.body %></main>',
  'views/includes.eta': '<p>\n<%~ include("/parts/throws", {}) %></p>',
  'views/laid-out.eta': '<% layout("./parts/frame") %>\n<p>',
  'views/includes-nothing.eta': '\n\n<%~ include("./nothing") %>',
  'views/includes-outside.eta': '<%~ include("../package.json") %>',
  'views/unclosed.eta': '<p>\n<%= it.name \n</p>',
  'views/unclosed-text.eta': '<p>\n\n<%= "it %>\n</p>',
  'views/bad-script.eta': '<p>\n<% if (it.name { %>\n<% } %>',
  'views/includes-bad.eta': '<%~ include("./bad-script") %>',
  'views/text.eta': '<% throw "only text" %>',
  'package-like.eta': 'outside',
  'web/[name].ts': route('get, view', `(req) => view(req.params.name, { name: 'it' })`),
  'web/parts/frame.ts': shows('parts/frame'),
  'web/full.ts': shows('good.eta'),
};

served(files, (test, site) => {
  test('a view is a page with escaped values', async () => {
    const { status, headers, text } = await site.raw('/hello');
    assert.is(status, 200);
    assert.match(String(headers['content-type']), /^text\/html; ?charset=utf-8$/i);
    assert.match(text, '<h1>&lt;b&gt; &amp; é</h1><br>');
    assert.is(headers['content-length'], String(Buffer.byteLength(text)));
  });

  test('a route under api/ can return a view', async () => {
    const { headers, text } = await site.raw('/api/hello');
    assert.match(String(headers['content-type']), /^text\/html\b/);
    assert.match(text, '<h1>api</h1>');
  });

  test('layouts, partials and folders', async () => {
    assert.match((await site.raw('/letter')).text, '<title>Letter</title><main><i>me</i></main>');
  });

  test('a status and type set before apply', async () => {
    assert.is((await site.raw('/status')).status, 203);
    assert.match(String((await site.raw('/typed')).headers['content-type']), /^text\/plain\b/);
  });

  const fails = async (path: string, expected: RegExp) => {
    const from = site.dev.output.mark();
    assert.is((await site.raw(path)).status, 500, path);
    await site.dev.waitFor(expected, from);
  };

  test('a name can include its extension and dots', async () => {
    assert.is((await site.raw('/full')).text, '<p>it</p>');
    assert.is((await site.raw('/v1.2')).text, '<p>dotted</p>');
  });

  for (const [name, expected] of Object.entries({
    nothing:
      /ViewError: views\/nothing\.eta does not exist\. Create it, or correct the name in view\("nothing"\)\./,
    throws: /ViewError: views\/throws\.eta:3 throws: Cannot read properties of undefined/,
    includes: /ViewError: views\/parts\/throws\.eta:2 throws: Cannot read/,
    'laid-out': /ViewError: views\/parts\/frame\.eta:4 throws: Cannot read/,
    'includes-nothing': /ViewError: views\/includes-nothing\.eta:3 throws: .*nothing\.eta/,
    'includes-outside': /ViewError: views\/includes-outside\.eta:1 throws: .*not in the views directory/,
    unclosed: /ViewError: views\/unclosed\.eta:2 does not parse: unclosed tag/,
    'unclosed-text': /ViewError: views\/unclosed-text\.eta:3 does not parse: unclosed string/,
    'bad-script': /ViewError: views\/bad-script\.eta does not parse: (Unexpected token|missing \))/,
    'includes-bad': /ViewError: views\/bad-script\.eta does not parse/,
    text: /ViewError: views\/text\.eta:1 throws: only text/,
  }))
    test(`${name} is reported with its file`, () => fails(`/${name}`, expected));

  test('a name outside views/ is rejected in the handler', async () => {
    for (const name of ['.%2Fgood', '%2Fgood', 'parts%2F', 'a%5Cb', 'a%00'])
      await fails(`/${name}`, /TypeError: view\(\) takes the path of a template below views\/, not "/);
    assert.match((await site.raw('/good')).text, '<p>it</p>');
  });

  test('a fixed template is used by the next request', async () => {
    site.project.write('views/nothing.eta', 'now there');
    assert.is((await site.raw('/nothing')).text, 'now there');
    site.project.write('views/parts/throws.eta', 'part');
    assert.is((await site.raw('/includes')).text, '<p>\npart</p>');
  });
});

const test = suite('production');

test('in production, templates are cached and errors are not shown', async () => {
  const site = await production(files);
  const broken = await site.raw('/throws');
  assert.is(broken.status, 500);
  assert.not.match(broken.text, /views|nobody/);
  await site.output.waitFor(/views\/throws\.eta:3 throws/);
  assert.is((await site.raw('/good')).text, '<p>it</p>');
  site.project.write('views/good.eta', 'changed');
  assert.is((await site.raw('/good')).text, '<p>it</p>');
  assert.is((await site.raw('/nothing')).status, 500);
  site.project.write('views/nothing.eta', 'now there');
  assert.is((await site.raw('/nothing')).text, 'now there');
  await site.stop();
});

test.run();
