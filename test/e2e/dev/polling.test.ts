import { spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { atExit } from '../../harness/cleanup.js';
import { edit } from '../../harness/edit.js';
import { launch } from '../../harness/fwk.js';
import { request } from '../../harness/http.js';
import { bin } from '../../harness/installed.js';
import { type Project, project } from '../../harness/project.js';
import { textRoute } from '../../harness/source.js';

const test = suite('polling');

const outside = mkdtempSync(path.join(tmpdir(), 'fwk-outside-'));
atExit(() => rmSync(outside, { recursive: true, force: true }));

function run(root: string, env: readonly string[], ...flags: string[]) {
  return launch('/usr/bin/env', [...env, bin('fwk'), 'dev', '--port', '0', ...flags], root);
}

/** Serves a project while `act` edits it; resolves with stderr. */
async function polling(
  made: Project,
  env: readonly string[],
  flags: readonly string[],
  act: (shows: (change: () => unknown, path: string, text: unknown) => Promise<void>) => Promise<void>,
): Promise<string> {
  const { output, stop } = run(made.root, env, ...flags);
  const [, url = ''] = await output.waitFor(/(http:\/\/\S+:\d+)\/$/m);
  const site = {
    dev: { output, waitFor: output.waitFor.bind(output) },
    raw: (at: string) => request(url, at),
  } as unknown as Parameters<typeof edit>[0];
  await act((change, at, text) => edit(site, change, at, text));
  await stop();
  return output.stderr;
}

for (const [how, env, flags] of [
  ['--poll', [], ['--poll']],
  ['FWK_POLL=1', ['FWK_POLL=1'], []],
] as const)
  test(`${how}: notices changes without file system events`, async () => {
    const made = project({ 'api/first.ts': textRoute('one') });
    // A write through another name of a file is reported to that name's directory.
    const other = path.join(outside, how);
    linkSync(made.path('api/first.ts'), other);
    const told = await polling(made, env, flags, async (shows) => {
      await shows(() => writeFileSync(other, textRoute('two')), '/api/first', 'two');
      await shows(() => made.write('api/deep/new.ts', textRoute('new')), '/api/deep/new', 'new');
      await shows(() => made.write('api/deep/new.ts', textRoute('edited')), '/api/deep/new', 'edited');
      await shows(
        () => rmSync(path.dirname(made.path('api/deep/new.ts')), { recursive: true }),
        '/api/deep/new',
        404,
      );
    });
    assert.is(told, '');
  });

test('rejects other values', async () => {
  const made = project({ 'api/first.ts': textRoute('one') });
  const variable = run(made.root, ['FWK_POLL=yes']);
  assert.is((await variable.end).status, 1);
  assert.match(variable.output.stderr, /^FWK204 FWK_POLL is 1 or 0, not "yes"\. Set it to one of them\./);
  const flag = run(made.root, [], '--poll=100');
  assert.is((await flag.end).status, 1);
  assert.match(flag.output.stderr, /^FWK603 --poll takes no value, not "100"\./);
});

/** Mounts `source` at `target` by FUSE, which reports no writes to `source`; false if that is not possible here. */
function mount(source: string, target: string): boolean {
  if (spawnSync('bindfs', [source, target]).status !== 0) return false;
  atExit(() => spawnSync('umount', ['-l', target]));
  return true;
}

const [probeSource, probeTarget] = [path.join(outside, 'source'), path.join(outside, 'target')];
for (const directory of [probeSource, probeTarget]) mkdirSync(directory);
const canMount = mount(probeSource, probeTarget);
if (!canMount) console.log('bindfs is not installed, or may not mount here: apt-get install bindfs');

(canMount ? test : test.skip)('only the directory that is mounted is polled, and named', async () => {
  const made = project({ 'views/page.eta': '' });
  const target = path.join(made.root, 'src');
  mkdirSync(target);
  const source = mkdtempSync(path.join(outside, 'src-'));
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(source, file)), { recursive: true });
    writeFileSync(path.join(source, file), text);
  };
  write('api/first.ts', textRoute('one'));
  assert.ok(mount(source, target));
  const told = await polling(made, [], [], async (shows) => {
    await shows(() => write('api/first.ts', textRoute('two')), '/api/first', 'two');
    await shows(() => write('api/deep/new.ts', textRoute('new')), '/api/deep/new', 'new');
    await shows(() => write('api/deep/new.ts', textRoute('edited')), '/api/deep/new', 'edited');
    await shows(() => rmSync(path.join(source, 'api/deep'), { recursive: true }), '/api/deep/new', 404);
  });
  spawnSync('umount', ['-l', target]);
  // The file system caches files: a deleted one may be reported as broken at first.
  assert.is(told.match(/^FWK622/gm)?.length, 1);
  assert.match(
    told,
    /^FWK622 fwk dev polls src for changes: it is on a file system \(FUSE\) that reports only the changes made on this machine\. If saves are noticed without polling, set FWK_POLL=0\.\n/,
  );
});

test.run();
