import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, fwk, start } from '../harness/fwk.js';
import { Output } from '../harness/output.js';
import { copyOf } from './example.js';

// What the bookshop's package.json promises, in a copy of it.

const test = suite('bookshop scripts');
const shop = copyOf('bookshop', ['libsql', 'zod']);

test('its own tests pass', async () => {
  const { status, stdout, stderr } = await ended(start('npm', ['test'], shop.root), 'npm test');
  assert.is(status, 0, stdout + stderr);
  assert.match(stdout, /^\S+ pass 2$/m);
});

test('it is built, and starts', async () => {
  const built = await fwk(shop, 'build');
  assert.is(built.status, 0, built.stdout + built.stderr);
  shop.write(
    'package-start.js',
    `process.env.PORT = '0';\nprocess.argv[1] = new URL('dist/main.js', import.meta.url).pathname;\nawait import('./dist/main.js');\nconsole.log('started');\n`,
  );
  const child = start(process.execPath, ['package-start.js'], shop.root);
  const output = new Output(child);
  const end = ended(child, 'node package-start.js', output);
  await output.waitFor(/^started$/m);
  child.kill('SIGTERM');
  assert.is((await end).status, 0, output.all);
});

test.run();
