import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk, launch } from '../../harness/fwk.js';
import { request } from '../../harness/http.js';
import { bin } from '../../harness/installed.js';
import { type Project, project } from '../../harness/project.js';
import { textRoute } from '../../harness/source.js';

const TYPES = '.fwk/types.d.ts';
/** KiB that a nearly full disk still accepts: less than this project's types. */
const ROOM = 8;
const files = Object.fromEntries(
  Array.from({ length: 200 }, (_, index) => [`api/routes/with/long/names/${index}.ts`, textRoute('old')]),
);

/** Runs the command with a limit on the size of files, like a disk that is nearly full. */
function crowded(made: Project, ...args: string[]) {
  return launch('/bin/bash', ['-c', `ulimit -f ${ROOM}; exec "$0" "$@"`, bin('fwk'), ...args], made.root);
}

/** `fwk dev`, tried out by an edit and one file that comes. */
async function servesEdits(made: Project, { output, stop }: ReturnType<typeof crowded>): Promise<string> {
  const [, url = ''] = await output.waitFor(/(http:\/\/\S+:\d+)\/$/m);
  const path = '/api/routes/with/long/names/1';
  assert.is((await request(url, path)).json, 'old');
  for (const name of ['api/new1.ts', 'api/new2.ts']) {
    const from = output.mark();
    made.write('api/routes/with/long/names/1.ts', textRoute(name));
    made.write(name, textRoute(name));
    await output.waitFor(new RegExp(`\\+ GET /${name.replace('.ts', '')}`), from);
    assert.is((await request(url, path)).json, name);
  }
  await stop();
  return output.all;
}

const count = (text: string, part: string) => text.split(part).length - 1;

const test = suite('files that cannot be written');

test('on a full disk, fwk types keeps the old file and reports the failure', async () => {
  const made = project({ 'api/first.ts': textRoute('first') });
  assert.is((await fwk(made, 'types')).status, 0);
  const before = made.read(TYPES);
  for (const [name, text] of Object.entries(files)) made.write(name, text);
  const { status, stderr } = await crowded(made, 'types').end;
  assert.is(status, 1);
  assert.match(stderr, /\.fwk\/types\.d\.ts: cannot be written: EFBIG.* Fix that first\.\n/);
  assert.is(made.read(TYPES), before);
  assert.equal(readdirSync(`${made.root}/.fwk`), ['types.d.ts']);
});

test('on a full disk, fwk dev starts, serves edits and reports once what it could not write', async () => {
  const made = project(files);
  const told = await servesEdits(made, crowded(made, 'dev', '--port', '0'));
  assert.is(count(told, `${TYPES}: cannot be written`), 1, told);
  assert.is(made.exists(TYPES), false);
});

test('fwk dev does the same if a file blocks the directory', async () => {
  const made = project({ ...files, '.fwk': 'in the way' });
  const told = await servesEdits(made, launch(bin('fwk'), ['dev', '--port', '0'], made.root));
  assert.is(count(told, `${TYPES}: cannot be`), 1, told);
  assert.match(made.read('.gitignore'), '.fwk/');
});

test('fwk dev reports a failed write again after a successful one', async () => {
  const made = project({ 'api/a.ts': textRoute('a'), '.fwk': 'in the way' });
  const { output, stop } = launch(bin('fwk'), ['dev', '--port', '0'], made.root);
  await output.waitFor(/(http:\/\/\S+:\d+)\/$/m);
  const add = async (name: string) => {
    const from = output.mark();
    made.write(`api/${name}.ts`, textRoute(name));
    await output.waitFor(new RegExp(`\\+ GET /api/${name}`), from);
  };
  rmSync(`${made.root}/.fwk`);
  await add('b');
  assert.match(made.read(TYPES), '/api/b');
  rmSync(`${made.root}/.fwk`, { recursive: true });
  made.write('.fwk', 'in the way');
  await add('c');
  assert.is(count(output.all, `${TYPES}: cannot be`), 2, output.all);
  await stop();
});

test('writing keeps symbolic links and file permissions', async () => {
  const made = project({ 'api/a.ts': textRoute('a'), 'shared/ignored': 'node_modules\n' });
  symlinkSync('shared/ignored', `${made.root}/.gitignore`);
  chmodSync(`${made.root}/shared/ignored`, 0o600);
  mkdirSync(`${made.root}/.fwk`);
  assert.is((await fwk(made, 'types')).status, 0);
  assert.is(readFileSync(`${made.root}/shared/ignored`, 'utf8'), 'node_modules\n.fwk/\n');
  assert.is(statSync(`${made.root}/.gitignore`).mode & 0o777, 0o600);
  assert.equal(readdirSync(`${made.root}/shared`), ['ignored']);
});

test.run();
