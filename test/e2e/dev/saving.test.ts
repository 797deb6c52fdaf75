import * as assert from 'uvu/assert';
import { edit, reloads, shows } from '../../harness/edit.js';
import type { Files } from '../../harness/project.js';
import { saves } from '../../harness/saving.js';
import { served } from '../../harness/served.js';
import { module, route } from '../../harness/source.js';

// fwk dev: a save shows at the next request, every way of saving is seen, and no request pays for it.

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

const slow = (answer: string, wait: boolean) =>
  route(
    'get',
    `async (req, res, ctx) => {
       if (${wait}) await new Promise((resolve) => { globalThis.release = resolve; console.log('[slow began]'); });
       return '${answer} of ' + ctx.pool.name;
     }`,
  );

const files: Files = {
  'api/hello.ts': says('one'),
  'lib/words.ts': `export const word = 'old word';`,
  'api/word.ts': `import { word } from '../lib/words.js';\n${route('get', '() => word')}`,
  'services/other.ts': pool('other'),
  'web/page.ts': says('page'),
  'api/saved.ts': says('saved'),
  'api/pool.ts': route('get', '(req, res, ctx) => ctx.pool.name'),
  'services/pool.ts': pool('pool-1'),
  'api/release.ts': route('get', `() => { globalThis.release(); return 'released'; }`),
  'api/slow.ts': slow('old', true),
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

  test('a config that comes, changes and goes counts', async () => {
    const config = (text: string) => module('defineConfig', `export default defineConfig(${text});`);
    await edit(site, () => project.write('fwk.config.ts', config(`{ disable: ['web'] }`)), '/page', 404);
    const from = site.dev.output.mark();
    project.write('fwk.config.ts', config(`{ disabled: ['web'] }`));
    await site.dev.waitFor(/has an unknown key "disabled"/, from);
    await edit(site, () => project.remove('fwk.config.ts'), '/page', 'page');
  });

  for (const [name, save] of Object.entries(saves)) {
    test(`each save is one reload: ${name}`, async () => {
      const from = site.dev.output.mark();
      for (let turn = 1; turn <= 5; turn++) {
        const text = `${name} ${turn}`;
        await edit(site, () => save(project.path('api/saved.ts'), says(text)), '/api/saved', text);
      }
      const told = reloads(site, from);
      assert.equal([...new Set(told)], [project.label('api/saved.ts')]);
      // Two of five saves may have been interrupted halfway, on a machine that is busy.
      assert.ok(told.length <= 7, `${told.length} reloads`);
    });

    test(`saved is what the next request gets: ${name}`, async () => {
      for (let turn = 1; turn <= 5; turn++) {
        await save(project.path('api/saved.ts'), says(`at once, ${turn}`));
        assert.is(await json('/api/saved'), `at once, ${turn}`);
      }
    });
  }

  test('a request under way ends with the code and the services it began with', async () => {
    const from = site.dev.output.mark();
    const old = json('/api/slow');
    // Awaited only at the end: a failure before that is not to end the process.
    old.catch(() => {});
    await site.dev.waitFor(/\[slow began\]/, from);
    project.write('services/pool.ts', pool('pool-3'));
    await shows(site, '/api/pool', 'pool-3', from);
    await edit(site, () => project.write('api/slow.ts', slow('new', false)), '/api/slow', 'new of pool-3');
    assert.not.match(site.dev.output.all.slice(from), '[destroy pool-2]');
    assert.is(await json('/api/release'), 'released');
    assert.is(await old, 'old of pool-2');
    await site.dev.waitFor(/\[destroy pool-2\]/, from);
  });
});
