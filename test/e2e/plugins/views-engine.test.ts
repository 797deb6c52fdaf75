import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { production } from '../../harness/production.js';
import { type Files, project } from '../../harness/project.js';
import { refusal } from '../../harness/refusal.js';
import { served } from '../../harness/served.js';
import { configFile, route } from '../../harness/source.js';
import { tsc } from '../../harness/tsc.js';

const config = (options: string): Files => ({
  'fwk.config.ts': `import { readFileSync } from 'node:fs';\nimport { join } from 'node:path';\n${configFile(`{ views: ${options} }`)}`,
});

const engine = `(directory, { extension, cache }) => {
  console.log('[engine]', extension, cache);
  return async (name, data) => {
    const text = readFileSync(join(directory, name), 'utf8');
    if (text === 'broken') throw new Error('not a template');
    return text.replace(/\\{(\\w+)\\}/g, (_, key) => data[key] + ' of ' + name);
  };
}`;

const files: Files = {
  ...config(`{ engine: ${engine}, extension: 'html.tpl' }`),
  'views/mail/letter.html.tpl': '<p>{name}</p>',
  'views/broken.html.tpl': 'broken',
  'web/letter.ts': route('get, view', `() => view('mail/letter', { name: 'it' })`),
  'web/broken.ts': route('get, view', `() => view('broken')`),
  'web/nothing.ts': route('get, view', `() => view('nothing')`),
};

served(files, (test, site) => {
  test('renders the data of the route', async () => {
    const { headers, text } = await site.raw('/letter');
    assert.is(text, '<p>it of mail/letter.html.tpl</p>');
    assert.match(String(headers['content-type']), /^text\/html\b/);
    assert.is((await site.raw('/letter')).text, text);
    assert.equal(site.dev.output.all.match(/\[engine\].*/g), ['[engine] html.tpl false']);
  });

  test('a missing or invalid template is reported with its file', async () => {
    for (const [path, expected] of [
      ['/broken', /ViewError: views\/broken\.html\.tpl throws: not a template/],
      ['/nothing', /ViewError: views\/nothing\.html\.tpl does not exist/],
    ] as const) {
      const from = site.dev.output.mark();
      assert.is((await site.raw(path)).status, 500);
      await site.dev.waitFor(expected, from);
    }
  });
});

const test = suite('views');

test('in production, the engine may cache templates', async () => {
  const site = await production(files);
  assert.is((await site.raw('/letter')).text, '<p>it of mail/letter.html.tpl</p>');
  await site.output.waitFor(/\[engine\] html\.tpl true/);
  await site.stop();
});

test('Eta can use another extension', async () => {
  const site = await production({
    ...config(`{ extension: 'html' }`),
    'views/page.html': `<%~ include('./part') %>`,
    'views/part.html': '<p><%= it.name %></p>',
    'web/page.ts': route('get, view', `() => view('page', { name: '<it>' })`),
  });
  assert.is((await site.raw('/page')).text, '<p>&lt;it&gt;</p>');
  await site.stop();
});

test('rejects an invalid option', async () => {
  const expected = await refusal(project(config(`{ engine: 'pug', extension: '.hbs' }`)), 'routes');
  assert.match(
    expected,
    '"views.engine" must be a function (directory, options) => (name, data) => html; it is "pug".',
  );
  assert.match(
    expected,
    '"views.extension" must be a file extension without its dot, such as "hbs"; it is ".hbs".',
  );
});

test('an engine is typed', async () => {
  assert.equal(
    await tsc(
      project(config(`{ engine: ${engine.replace('data[key]', 'String(Reflect.get(data, key))')} }`)),
    ),
    [],
  );
  const [wrong, ...more] = await tsc(project(config('{ engine: (directory) => () => directory.length }')));
  assert.equal(more, []);
  assert.match(wrong?.message ?? '', /number/);
});

test.run();
