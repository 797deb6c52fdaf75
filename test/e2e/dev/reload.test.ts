import * as assert from 'uvu/assert';
import { edit } from '../../harness/edit.js';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { module, route } from '../../harness/source.js';

// fwk dev: a save shows at the next request, and no request pays for it.

const says = (text: string) => route('get', `() => '${text}'`);

const pool = (name: string) =>
  module(
    'service',
    `export default service((ctx, { onDestroy }) => {
       console.log('[make ${name}]');
       onDestroy(() => console.log('[destroy ${name}]'));
       return { name: '${name}' };
     });`,
  );

const files: Files = {
  'api/hello.ts': says('one'),
  'lib/words.ts': `export const word = 'old word';`,
  'api/word.ts': `import { word } from '../lib/words.js';\n${route('get', '() => word')}`,
  'api/pool.ts': route('get', '(req, res, ctx) => ctx.pool.name'),
  'services/pool.ts': pool('pool-1'),
  'services/other.ts': pool('other'),
  'api/broken.ts': says('good'),
  'api/clash.ts': says('first'),
  'web/page.ts': says('page'),
};

served(files, (test, site) => {
  const { project } = site;
  const json = async (path: string) => (await site.raw(path)).json;

  test('a route is edited, added and deleted', async () => {
    assert.is(await json('/api/hello'), 'one');
    await edit(site, () => project.write('api/hello.ts', says('two')), '/api/hello', 'two');
    assert.is((await site.raw('/api/more/new')).status, 404);
    await edit(site, () => project.write('api/more/new.ts', says('new')), '/api/more/new', 'new');
    assert.match(project.read('.fwk/types.d.ts'), '/api/more/new');
    await edit(site, () => project.remove('api/more/new.ts'), '/api/more/new', 404);
    assert.not.match(project.read('.fwk/types.d.ts'), '/api/more/new');
  });

  test('what a route imports is edited', async () => {
    assert.is(await json('/api/word'), 'old word');
    await edit(
      site,
      () => project.write('lib/words.ts', `export const word = 'new word';`),
      '/api/word',
      'new word',
    );
  });

  test('an edited service is made anew and the old one ends', async () => {
    await edit(site, () => project.write('services/pool.ts', pool('pool-2')), '/api/pool', 'pool-2');
    await site.dev.waitFor(/\[destroy pool-1\]/);
  });

  for (const [name, broken, told] of [
    ['a syntax error', `${says('broken')}\n}`, /api\/broken\.[jt]s:4: does not parse: /],
    [
      'a throw',
      `${says('broken')}\nthrow new Error('at import');`,
      /api\/broken\.[jt]s:4: throws when it is imported: at import\./,
    ],
    [
      'no wrapper',
      `export default () => 'broken';`,
      /api\/broken\.[jt]s: has a default export that is not wrapped\./,
    ],
  ] as const) {
    test(`a broken edit keeps the last good version until it is mended: ${name}`, async () => {
      const good = await json('/api/broken');
      const from = site.dev.output.mark();
      project.write('api/broken.ts', broken);
      try {
        await site.dev.waitFor(/still serving the last good version/, from);
        await site.dev.waitFor(told, from);
        assert.is(await json('/api/broken'), good);
        assert.not.match(site.dev.output.stderr, /^\s+at /m);
      } finally {
        const mended = `mended from ${name}`;
        await edit(site, () => project.write('api/broken.ts', says(mended)), '/api/broken', mended);
      }
    });
  }

  test('two routes that clash keep the last good version until one goes', async () => {
    const from = site.dev.output.mark();
    project.write('api/clash.get.ts', says('second'));
    try {
      await site.dev.waitFor(/serves GET \/api\/clash, which .* serves too/, from);
      await site.dev.waitFor(/still serving the last good version/, from);
      assert.is(await json('/api/clash'), 'first');
    } finally {
      await edit(site, () => project.remove('api/clash.ts'), '/api/clash', 'second');
    }
  });

  test('a config that comes, changes and goes counts', async () => {
    const config = (text: string) => module('defineConfig', `export default defineConfig(${text});`);
    await edit(site, () => project.write('fwk.config.ts', config(`{ disable: ['web'] }`)), '/page', 404);
    const from = site.dev.output.mark();
    project.write('fwk.config.ts', config(`{ disabled: ['web'] }`));
    await site.dev.waitFor(/has an unknown key "disabled"/, from);
    await edit(site, () => project.remove('fwk.config.ts'), '/page', 'page');
  });
});
