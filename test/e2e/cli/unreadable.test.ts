import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compiled, startMain } from '../../harness/production.js';
import { type Project, project } from '../../harness/project.js';
import { refusal } from '../../harness/refusal.js';
import { reportedChanges } from '../../harness/reported-changes.js';
import { served } from '../../harness/served.js';
import { route } from '../../harness/source.js';

const files = { 'api/a.ts': route('get', `() => 'a'`), 'web/b.ts': route('get', `() => 'b'`) };

/** A link to itself, which even root cannot read. */
const loop = (made: Project, name: string) =>
  symlinkSync(name.split('/').at(-1) ?? '', `${made.root}/${name}`);

function plain(text: string): void {
  assert.not.match(text, /^\s+at |node:internal/m);
}

const test = suite('unreadable files');

for (const command of ['routes', 'types', 'build'])
  test(`fwk ${command} reports each unreadable directory and module`, async () => {
    const made = project(files);
    loop(made, 'src/ws');
    loop(made, 'src/api/inner');
    const stderr = await refusal(made, command);
    plain(stderr);
    assert.match(stderr, /^2 problems in /);
    assert.match(
      stderr,
      /^ {2}FWK112 src\/ws: cannot be read: ELOOP: .*\. Give this user read permission, or remove it/m,
    );
    assert.match(stderr, /^ {2}FWK112 src\/api\/inner: cannot be read: ELOOP: /m);
  });

test('reports each unreadable .env file', async () => {
  const made = project(files);
  mkdirSync(`${made.root}/.env`);
  mkdirSync(`${made.root}/.env.local`);
  const stderr = await refusal(made, 'routes');
  plain(stderr);
  for (const name of ['.env', '.env.local'])
    assert.match(stderr, `  FWK112 ${name}: cannot be read: EISDIR: `);
  assert.match(stderr, 'Make it a file that this user may read.');
});

test('reports them in production', async () => {
  const made = await compiled(files, 'js');
  mkdirSync(`${made.root}/.env`);
  const { status, stderr } = await startMain(made).end;
  assert.is(status, 1);
  plain(stderr);
  assert.match(stderr, /\.env: cannot be read: EISDIR: /);
});

test('reports an unreadable static file', async () => {
  const made = await compiled(files, 'js');
  loop(made, 'public');
  const { status, stderr } = await startMain(made).end;
  assert.is(status, 1);
  plain(stderr);
  assert.match(stderr, /public: cannot be read: ELOOP/);
});

if (process.getuid?.() !== 0)
  test('reports missing permissions the same way', async () => {
    const made = project({ ...files, '.env': 'A=1' });
    chmodSync(`${made.root}/.env`, 0);
    const stderr = await refusal(made, 'routes');
    plain(stderr);
    assert.match(stderr, /\.env: cannot be read: EACCES/);
  });

test.run();

served({ ...files, '.env.test': 'A=1\n', '.env.development': 'A=1\n' }, (own, site) => {
  own('fwk dev ignores edits of .env.test and reloads for .env.development', async () => {
    const { changesOf, last } = reportedChanges(site);
    await last();
    for (const name of ['.env.test', '.env.production', '.env.test.local', '.env.example'])
      assert.equal(await changesOf(() => site.project.write(name, `B=${name}\n`)), [], name);
    for (const name of ['.env.development', '.env.local', '.env.development.local', '.env'])
      assert.equal(await changesOf(() => site.project.write(name, `B=${name}\n`)), [name]);
  });
});
