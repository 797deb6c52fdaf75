import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, start } from '../harness/fwk.js';
import { repo } from '../harness/installed.js';
import { importsOf, linesOfCode, packageOf } from '../harness/sources.js';
import { copyOf } from './example.js';

/** For a whole plugin. Its guide, which is text, does not count. */
const MAX_LINES_OF_CODE = 130;
const folder = 'examples/plugins';

const test = suite('plugin packages');

const names = readdirSync(path.join(repo, folder)).sort();

for (const name of names) {
  const manifest = JSON.parse(readFileSync(path.join(repo, folder, name, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
    peerDependencies?: Record<string, string>;
  };
  const packages = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).filter(
    (dependency) => dependency !== 'fwkit',
  );
  const files = readdirSync(path.join(repo, folder, name))
    .filter((file) => /\.[jt]s$/.test(file))
    .map((file) => `${folder}/${name}/${file}`);

  test(`${name} is small and imports only public names and its dependencies`, () => {
    assert.ok(files.length > 0);
    const run = files.filter((file) => file.endsWith('.js') && !file.endsWith('/guide.js'));
    const total = run.reduce((sum, file) => sum + linesOfCode(file), 0);
    assert.ok(total > 0 && total <= MAX_LINES_OF_CODE, `${total} lines of code, of ${MAX_LINES_OF_CODE}`);
    const outside = files.flatMap(importsOf).filter(({ to, relative }) => !relative && !isBuiltin(to));
    assert.ok(outside.length > 0);
    const wrong = outside.filter(({ to }) => !['fwkit', `fwk-${name}`, ...packages].includes(packageOf(to)));
    assert.equal(wrong, []);
  });

  for (const script of ['check', 'test'])
    test(`npm run ${script} of ${name}`, async () => {
      const { root } = copyOf(`plugins/${name}`, packages);
      const { status, stdout, stderr } = await ended(
        start('npm', ['run', script], root),
        `npm run ${script}`,
      );
      assert.is(status, 0, stdout + stderr);
      if (script === 'test') assert.match(stdout, /^\S+ pass [1-9]\d*$/m);
    });
}

test.run();
