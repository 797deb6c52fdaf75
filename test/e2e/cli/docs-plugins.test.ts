import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { project } from '../../harness/project.js';
import { route } from '../../harness/source.js';

const test = suite('documentation of plugins');

const plugin = (name: string, more: object = { peerDependencies: { fwkit: '*' } }) => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: '1.0.0', ...more }),
  [`node_modules/${name}/docs/shelves.md`]: `# Shelves of ${name}\n\nWhere things stand.\n\n## Moving a shelf\n\nLift it first.\n`,
});

const made = () =>
  project({
    'api/x.ts': route('get', '() => 1'),
    'package.json': JSON.stringify({
      type: 'module',
      dependencies: { '@parts/room': '1', other: '1', broken: '1', absent: '1' },
    }),
    ...plugin('@parts/room'),
    ...plugin('other', {}),
    'node_modules/broken/package.json': '{',
    'node_modules/broken/docs/x.md': '# X\n',
  });

test('fwk docs lists, prints and searches the pages of plugins', async () => {
  const shop = made();
  const docs = (...words: string[]) => fwk(shop, 'docs', ...words);
  const { stdout } = await docs();
  assert.match(stdout, /^Room\n {2}room\/shelves +Where things stand\.$/m);
  assert.not.match(stdout, /other\/|Broken/);
  assert.match((await docs('room/shelves')).stdout, 'Lift it first.');
  const { stdout: section } = await docs('moving', 'a', 'shelf');
  assert.match(section, /^node_modules\/@parts\/room\/docs\/shelves\.md › Moving a shelf\n/);
});

test.run();
