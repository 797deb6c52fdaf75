import * as assert from 'uvu/assert';
import { edit } from '../../harness/edit.js';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { tells } from '../../harness/source.js';

const plugin = `import { defineConfig, error } from 'fwkit';
import { addFallback } from 'fwkit/http';
import { definePlugin } from 'fwkit/plugin';

const pages = definePlugin({
  name: 'pages',
  needs: ['http'],
  apply(hooks) {
    hooks.serve.tapPromise('pages', async ({ project }) => {
      addFallback(project, ({ segments: [first, ...rest] }, res) => {
        if (first !== 'pages') return false;
        res.type('text').send('first ' + JSON.stringify(rest));
        return true;
      });
      addFallback(project, async ({ method, path, segments: [first] }, res) => {
        if (first === 'refused') throw error(402, 'Pay first');
        if (first === 'broken') throw new Error('secret detail');
        if (first !== 'pages' && first !== 'second') return false;
        res.json({ method, path });
        return true;
      });
    });
  },
});

export default defineConfig({ plugins: [pages] });
`;

const files: Files = {
  'fwk.config.ts': plugin,
  'api/x.ts': tells('get', 'route'),
  'web/second/route.ts': tells('get', 'route'),
  'public/second/file.txt': 'file',
};

served(files, (test, site) => {
  test('passes a request from one fallback to the next, and then answers 404', async () => {
    assert.is((await site.raw('/pages/a%2Fb/%C3%A9?q=1')).text, 'first ["a/b","é"]');
    assert.equal((await site.raw('/second/x/?q=1', { method: 'POST' })).json, {
      method: 'POST',
      path: '/second/x/',
    });
    assert.is((await site.raw('/nobody')).status, 404);
  });

  test('routes and files take precedence', async () => {
    assert.match((await site.raw('/second/route')).text, '"at":"route"');
    assert.is((await site.raw('/second/file.txt')).text, 'file');
  });

  test('a malformed path, or one with dot segments, reaches no fallback', async () => {
    for (const path of ['/pages/%zz', '/pages//x', '/pages/../pages', '/pages/%2e%2e'])
      assert.is((await site.raw(path)).status, path.includes('zz') ? 400 : 404, path);
  });

  test('an error of a fallback is answered', async () => {
    const refused = await site.raw('/refused');
    assert.equal([refused.status, refused.json], [402, { message: 'Pay first' }]);
    const from = site.dev.output.mark();
    const broken = await site.raw('/broken');
    assert.is(broken.status, 500);
    await site.dev.waitFor(/GET \/broken failed[\s\S]*secret detail/, from);
  });

  test('a reload replaces the fallback', async () => {
    const change = (word: string) => () =>
      site.project.write('api/x.ts', tells('get', word).replace(/\(\{.*\}\)/, `'${word}'`));
    await edit(site, change('changed'), '/api/x', 'changed');
    assert.is((await site.raw('/pages/y')).text, 'first ["y"]');
    const reduced = plugin.replace("first !== 'pages'", "first !== 'sites'");
    site.project.write('fwk.config.ts', reduced);
    await edit(site, change('again'), '/api/x', 'again');
    assert.is((await site.raw('/sites/y')).text, 'first ["y"]');
    assert.equal((await site.raw('/pages/y')).json, { method: 'GET', path: '/pages/y' });
  });
});
