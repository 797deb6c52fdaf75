import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { layouts, project } from '../../harness/project.js';
import { configFile, route } from '../../harness/source.js';

const printing = (glob: string) => `import { writeFileSync } from 'node:fs';
const top = {
  name: 'top',
  apply(hooks) {
    hooks.discover.tap('top', (claims) => claims.add('rules', '${glob}'));
    hooks.resolve.tapPromise('top', async (routes, project) => {
      writeFileSync(project.root + '/seen.txt', project.entries.map(({ kind, file }) => kind + ' ' + file).join(', '));
      return routes;
    });
  },
};
${configFile('{ plugins: [top] }')}`;

for (const layout of layouts) {
  const test = suite(layout);

  test('a glob without a slash claims only files beside fwk.config', async () => {
    const made = project(
      {
        'fwk.config.ts': printing('rules.*'),
        'api/x.ts': route('get', '() => 1'),
        'api/rules.get.ts': route('get', '() => 1'),
        'rules.ts': 'throw new Error("imported");',
        'rules.test.ts': 'throw new Error("imported");',
        'other.ts': 'throw new Error("imported");',
        '_middleware.ts': 'throw new Error("imported");',
      },
      layout,
    );
    const { status, stderr } = await fwk(made, 'routes');
    assert.is(status, 0, stderr);
    assert.is(
      made.read('seen.txt'),
      `api api/rules.get.${layout}, api api/x.${layout}, rules rules.${layout}`,
    );
    made.write('fwk.config.ts', printing('none.*'));
    await fwk(made, 'routes');
    assert.is(made.read('seen.txt'), `api api/rules.get.${layout}, api api/x.${layout}`);
  });

  test.run();
}
