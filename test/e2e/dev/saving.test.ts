import * as assert from 'uvu/assert';
import { edit, reloads, shows } from '../../harness/edit.js';
import type { Files } from '../../harness/project.js';
import { saves } from '../../harness/saving.js';
import { served } from '../../harness/served.js';
import { module, route } from '../../harness/source.js';

// fwk dev: every way of saving is seen, and no request pays for it.

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
  'api/busy.ts': says('v0'),
  'api/saved.ts': says('saved'),
  'api/pool.ts': route('get', '(req, res, ctx) => ctx.pool.name'),
  'services/pool.ts': pool('pool-2'),
  'api/release.ts': route('get', `() => { globalThis.release(); return 'released'; }`),
  'api/slow.ts': slow('old', true),
};

served(files, (test, site) => {
  const { project } = site;
  const json = async (path: string) => (await site.raw(path)).json;

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

  test('no request fails or goes back during 20 edits', async () => {
    let asking = true;
    const failures: string[] = [];
    let answers = 0;
    const ask = async () => {
      for (let last = 0; asking; answers++) {
        const { status, text } = await site
          .raw('/api/busy')
          .catch((error: Error) => ({ status: 0, text: error.message }));
        const version = Number(/^"v(\d+)"$/.exec(text)?.[1] ?? -1);
        if (status !== 200 || version < last) failures.push(`${status} ${text} after v${last}`);
        last = version;
      }
    };
    const asked = Array.from({ length: 4 }, ask);
    try {
      for (let version = 1; version <= 20; version++) {
        const change = () => project.write('api/busy.ts', says(`v${version}`));
        await edit(site, change, '/api/busy', `v${version}`);
      }
    } finally {
      asking = false;
      await Promise.all(asked);
    }
    assert.equal(failures, []);
    assert.ok(answers >= 20, String(answers));
  });

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
