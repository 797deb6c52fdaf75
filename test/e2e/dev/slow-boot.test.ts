import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { launch, spawnFwk } from '../../harness/fwk.js';
import { bin } from '../../harness/installed.js';
import { compiled, startMain } from '../../harness/production.js';
import { type Files, layouts, project } from '../../harness/project.js';
import { module, tells } from '../../harness/source.js';

/** Resolves when the process is sent SIGUSR2, and keeps it running until then. */
const untilTold = `await new Promise((resolve) => {
  const timer = setInterval(() => {}, 1000);
  process.once('SIGUSR2', () => { clearInterval(timer); resolve(undefined); });
});`;
const never = 'await new Promise(() => {});\n';

const slow: Files = {
  'lib/database.ts': `${untilTold}\nexport const rows = ['row'];\n`,
  'api/rows.ts': `import { rows } from '../lib/database.js';\n${module('get', 'export default get(() => rows);')}`,
  'api/other.ts': tells('get', 'other'),
};

for (const layout of layouts) {
  const test = suite(layout);

  test('fwk dev names the file that waits, keeps waiting, and serves when it resolves', async () => {
    const made = project(slow, layout);
    const { child, output, stop } = launch(bin('fwk'), ['dev', '--port', '0'], made.root);
    await output.waitFor(/waits in a top-level await for more than \d seconds\. .*\n/);
    assert.match(output.stderr, `${made.label('lib/database.ts')}: waits`);
    assert.is(output.all.split('waits in').length, 2, output.all);
    assert.not.match(output.stdout, 'http://');
    child.kill('SIGUSR2');
    const [, url] = await output.waitFor(/(http:\/\/\S+)/);
    assert.equal(await (await fetch(`${url}api/rows`)).json(), ['row']);
    await stop();
  });

  test('an await that can never resolve ends the command and names the file', async () => {
    for (const name of ['api/x.ts', 'fwk.config.ts']) {
      const made = project({ 'api/y.ts': tells('get', 'y'), [name]: never + tells('get', 'x') }, layout);
      const { status, stdout, stderr } = await spawnFwk(made, 'routes');
      assert.equal([status, stdout], [1, '']);
      assert.match(stderr, `${made.label(name)}: waits in`);
      assert.is(stderr.split('\n').length, 2, stderr);
    }
  });

  test('node main.js names the file, too', async () => {
    const made = await compiled({ 'api/x.ts': never + tells('get', 'x') }, layout);
    const { status, stderr } = await startMain(made).end;
    assert.is(status, 1);
    assert.match(
      stderr,
      `${layout === 'ts' ? 'dist/' : ''}api/x.js: waits in a top-level await that never settles`,
    );
  });

  test.run();
}
