import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { beginningOf, blocksOf, documents } from './harness/documents.js';
import { fwk } from './harness/fwk.js';
import { linkLibraries } from './harness/libraries.js';
import { project } from './harness/project.js';
import { tsc } from './harness/tsc.js';

// The blocks of a page whose first line names a file are a project that compiles and boots.

const test = suite('docs examples');

const pages = documents().filter((file) => /^docs\/(guide|reference|operate)\//.test(file));

test('every page begins with an example', () => {
  assert.ok(pages.length > 15);
  assert.equal(
    pages.filter((page) => !/^```\w+\n/m.test(beginningOf(page))),
    [],
  );
});

for (const page of ['README.md', ...pages]) {
  const blocks = blocksOf(page).filter(({ file }) => file !== undefined);
  if (!blocks.some(({ language }) => language === 'ts')) continue;
  test(`${page} has examples that run`, async () => {
    const files = blocks.map(({ file = '', text }) => [file.replace(/^src\//, ''), text] as const);
    const app = project(Object.fromEntries(files));
    linkLibraries(app, '@types/ws', 'pg', '@types/pg', 'ioredis', '@redis/client');
    const types = await fwk(app, 'types');
    assert.is(types.status, 0, types.stderr);
    assert.equal(await tsc(app, undefined, { exactOptionalPropertyTypes: false, skipLibCheck: true }), []);
    const routes = await fwk(app, 'routes');
    assert.is(routes.status, 0, routes.stderr);
  });
}

test.run();
