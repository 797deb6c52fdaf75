import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, fwk, start } from '../../harness/fwk.js';
import { project } from '../../harness/project.js';
import { route } from '../../harness/source.js';

const test = suite('generated files and other tools');

const biome = path.resolve('node_modules/.bin/biome');

test('linters and formatters accept generated files, also with Windows line breaks', async () => {
  const made = project({ 'biome.json': '{}', 'api/hello.get.ts': route('get', `() => ({ a: 'b' })`) }, 'js');
  const file = 'frontend/paths.ts';
  const write = async () => assert.is((await fwk(made, 'types', '--client', file)).status, 0);
  await write();
  const text = made.read(file);
  for (const one of [file, '.fwk/types.d.ts']) {
    const { status, stdout, stderr } = await ended(start(biome, ['check', one], made.root), 'biome');
    assert.is(status, 0, stdout + stderr);
    assert.not.match(stdout + stderr, 'warning');
  }
  assert.match(text, /^\/\* eslint-disable \*\/$/m);
  assert.match(text, /^\/\/ prettier-ignore\nexport interface Paths/m);
  made.write(file, text.replaceAll('\n', '\r\n'));
  await write();
});

test.run();
