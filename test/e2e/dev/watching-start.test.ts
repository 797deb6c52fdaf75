import { type ChildProcess, spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { launch } from '../../harness/fwk.js';
import { request } from '../../harness/http.js';
import { bin } from '../../harness/installed.js';
import type { Output } from '../../harness/output.js';
import { type Files, project } from '../../harness/project.js';
import { route } from '../../harness/source.js';

const says = (text: string) => `console.log('[loaded]');\n${route('get', `() => '${text}'`)}`;

const waits = `
  import { existsSync } from 'node:fs';
  console.log('[waiting]');
  while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 5));
  ${route('get', `() => 'second'`)}`;

interface Started {
  readonly child: ChildProcess;
  readonly output: Output;
  /** Waits until the path answers so, after a reload. */
  shows(path: string, expected: string): Promise<void>;
  stop(): Promise<unknown>;
}

function run(root: string, program: string, args: readonly string[]): Started {
  const { child, output, stop } = launch(program, args, root);
  return {
    child,
    output,
    async shows(path, expected) {
      const [, url = ''] = await output.waitFor(/(http:\/\/\S+:\d+)\/$/m);
      await output.waitFor(/reloaded/);
      assert.is((await request(url, path)).json, expected);
    },
    stop,
  };
}

const test = suite('the start');

test('a save during the start applies', async () => {
  const made = project({ 'api/first.ts': says('old'), 'api/second.ts': waits });
  const dev = run(made.root, bin('fwk'), ['dev', '--port', '0']);
  await Promise.all([dev.output.waitFor(/\[loaded\]/), dev.output.waitFor(/\[waiting\]/)]);
  made.write('api/first.ts', says('new'));
  made.write('go', '');
  await dev.shows('/api/first', 'new');
  await dev.stop();
});

/** Its import waits, and so does the first answer. */
const slow = `
  import { existsSync } from 'node:fs';
  import { service } from 'fwkit';
  console.log('[waiting]');
  while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 5));
  export default service(() => 'slow');`;

for (const start of ['the first start', 'a start that remembers the routes'])
  test(`a route that is added during ${start} is served`, async () => {
    const made = project({ 'api/first.ts': says('first'), 'services/slow.ts': slow });
    if (start !== 'the first start') {
      made.write('go', '');
      const before = run(made.root, bin('fwk'), ['dev', '--port', '0']);
      await before.output.waitFor(/➜/);
      await before.stop();
      made.remove('go');
    }
    const dev = run(made.root, bin('fwk'), ['dev', '--port', '0']);
    await dev.output.waitFor(/\[waiting\]/);
    made.write('api/second.ts', says('second'));
    made.write('go', '');
    await dev.shows('/api/second', 'second');
    assert.match(made.read('.fwk/types.d.ts'), '"/api/second"');
    await dev.stop();
  });

// A user namespace has its own limits; lowering them affects no other process.
const isolated = ['-Ur', 'sh', '-c'];
const canLimit =
  spawnSync('unshare', [...isolated, 'test -w /proc/sys/user/max_inotify_watches']).status === 0;

for (const [what, limit, message] of [
  ['directories', 'echo 3 > /proc/sys/user/max_inotify_watches', /limit of watched directories is reached/],
  ['programs', 'echo 0 > /proc/sys/user/max_inotify_instances', /limit of programs that watch is reached/],
] as const) {
  const maybe = canLimit ? test : test.skip;
  maybe(`if the system cannot watch more ${what}, fwk dev reports it once and notices saves`, async () => {
    const files: Files = { 'api/a/b/first.ts': says('old'), 'views/page.eta': '', 'lib/words.ts': '' };
    const made = project(files);
    const dev = run(made.root, 'unshare', [...isolated, `${limit}; exec ${bin('fwk')} dev --port 0`]);
    await dev.output.waitFor(/➜/);
    made.write('api/a/b/first.ts', says('new'));
    await dev.shows('/api/a/b/first', 'new');
    assert.is(dev.output.stderr.match(/^FWK622 The system does not report/gm)?.length, 1);
    assert.match(dev.output.stderr, message);
    await dev.stop();
  });
}

test.run();
