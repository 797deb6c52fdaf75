import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, start } from '../harness/fwk.js';
import { bin } from '../harness/installed.js';
import { project } from '../harness/project.js';
import { CONFIG, inRepository, repository, told } from './impact-repository.js';

// What git is asked, and what is said where it cannot answer.

const test = suite('fwk impact and git');

const plain = {
  'lib/word.ts': "export const word = () => 'a';\n",
  'api/word.get.ts':
    "import { get } from 'fwkit';\nimport { word } from '../lib/word.js';\nexport default get(() => word());\n",
  'api/other.get.ts': "import { get } from 'fwkit';\nexport default get(() => 1);\n",
};

const WORD = ['GET /api/word'];

test('files that are edited, staged, committed, new or gone count, since a branch began', async () => {
  const repo = repository(plain);
  repo.git('checkout', '--quiet', '-b', 'topic');
  repo.write('lib/word.ts', "export const word = () => 'b';\n");
  assert.equal(told(await repo.report({ since: 'main' })), WORD, 'edited');
  repo.git('add', '--all');
  assert.equal(told(await repo.report({ since: 'main' })), WORD, 'staged');
  repo.commit();
  assert.equal(told(await repo.report({ since: 'main' })), WORD, 'committed');
  assert.equal(told(await repo.report({ since: 'HEAD' })), [], 'since then nothing');
  // What others do on main meanwhile is no part of the branch.
  repo.git('checkout', '--quiet', 'main');
  repo.write('api/other.get.ts', "import { get } from 'fwkit';\nexport default get(() => 2);\n");
  repo.commit();
  repo.git('checkout', '--quiet', 'topic');
  assert.equal(told(await repo.report({ since: 'main' })), WORD, 'main went on');
  repo.write('api/new.get.ts', "import { get } from 'fwkit';\nexport default get(() => 1);\n");
  repo.remove('api/other.get.ts');
  const both = told(await repo.report({ since: 'HEAD' }));
  assert.equal(both, ['GET /api/new', 'GET /api/other (gone)']);
  const named = await repo.report({ since: 'HEAD', files: [repo.label('api/new.get.ts')] });
  assert.equal(told(named), ['GET /api/new'], 'of these files alone');
});

test('files that are named count as a whole; of one that is gone, git knows what it was', async () => {
  const repo = repository(plain);
  assert.equal(told(await repo.report({ files: ['src/lib/word.ts'] })), WORD);
  assert.equal(told(await repo.report({ files: ['src/lib'] })), WORD, 'a directory');
  repo.remove('api/other.get.ts');
  assert.equal(told(await repo.report({ files: ['src/api/other.get.ts'] })), ['GET /api/other (gone)']);
  const { status, stderr } = await repo.impact('src/api/never.get.ts');
  assert.is(status, 2);
  assert.match(stderr, /^FWK866 src\/api\/never\.get\.ts is not there, nor in the last commit\. Name a file/);
});

test('what cannot be said is status 2, with a sentence, or with that of git', async () => {
  const repo = repository(plain);
  const unknown = await repo.impact('--since', 'nope');
  assert.equal([unknown.status, unknown.stdout], [2, '']);
  assert.match(unknown.stderr, /^FWK866 fatal: Not a valid object name nope$/m);
  const flag = await repo.impact('--since=--output=x');
  assert.is(flag.status, 2);
  assert.not.ok(repo.exists('x'));
  const nothing = await repo.impact();
  assert.equal([nothing.status, nothing.stdout], [2, '']);
  assert.match(nothing.stderr, 'Name the files that changed, or say --since <ref>');
  const alone = project({ 'fwk.config.ts': CONFIG, ...plain });
  const env = ['PATH=/nowhere', `GIT_CEILING_DIRECTORIES=${path.dirname(alone.root)}`];
  const run = (...args: string[]) =>
    ended(start('/usr/bin/env', [...args, bin('fwk'), 'impact', '--since', 'HEAD'], alone.root), 'fwk');
  const outside = await run(env[1] ?? '');
  assert.is(outside.status, 2);
  assert.match(outside.stderr, /^FWK866 fatal: not a git repository/m);
  const node = await ended(
    start(
      '/usr/bin/env',
      [env[0] ?? '', process.execPath, bin('fwk'), 'impact', '--since', 'HEAD'],
      alone.root,
    ),
    'fwk',
  );
  assert.is(node.status, 2);
  assert.match(node.stderr, 'git cannot be run: it is not installed, or not in PATH.');
});

test('a project below the top of the repository, in a worktree, with files from beside it', async () => {
  const made = project({ 'fwk.config.ts': CONFIG, ...plain });
  const app = path.join(made.root, 'apps/shop');
  mkdirSync(app, { recursive: true });
  for (const name of ['src', 'package.json']) renameSync(path.join(made.root, name), path.join(app, name));
  writeFileSync(path.join(made.root, '.gitignore'), '.fwk/\n');
  mkdirSync(path.join(made.root, 'shared'));
  writeFileSync(path.join(made.root, 'shared/word.ts'), "export const word = () => 'a';\n");
  const repo = inRepository({ ...made, root: app }, made.root);
  writeFileSync(path.join(app, 'src/lib/word.ts'), "export { word } from '../../../../shared/word.js';\n");
  repo.commit();
  writeFileSync(path.join(made.root, 'shared/word.ts'), "export const word = () => 'b';\n");
  writeFileSync(path.join(made.root, 'elsewhere.ts'), 'x');
  assert.equal(told(await repo.report({ since: 'HEAD' })), WORD);
  writeFileSync(path.join(made.root, 'tsconfig.base.json'), '{}');
  assert.match((await repo.report({ since: 'HEAD' })).everything.join(), '../../tsconfig.base.json');
  repo.restore();

  const tree = path.join(made.root, 'tree');
  repo.git('worktree', 'add', '--quiet', tree);
  const other = inRepository({ ...made, root: path.join(tree, 'apps/shop') }, tree, false);
  writeFileSync(path.join(tree, 'shared/word.ts'), "export const word = () => 'b';\n");
  assert.equal(told(await other.report({ since: 'main' })), WORD);
  rmSync(tree, { recursive: true });
});

test('a clone whose history is cut off', async () => {
  const repo = repository(plain);
  repo.write('lib/word.ts', "export const word = () => 'b';\n");
  repo.commit();
  const clone = project({});
  rmSync(clone.root, { recursive: true });
  repo.git('clone', '--quiet', '--depth', '1', `file://${repo.root}`, clone.root);
  const cut = inRepository({ ...clone }, clone.root, false);
  assert.equal(told(await cut.report({ since: 'HEAD' })), []);
  const { status, stderr } = await cut.impact('--since', 'other');
  assert.is(status, 2);
  assert.match(
    stderr,
    /^FWK866 fatal: Not a valid object name other\nThis clone has a part of the history only\. Fetch/,
  );
});

test.run();
