import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, start } from '../harness/fwk.js';
import { bin } from '../harness/installed.js';
import { project } from '../harness/project.js';
import { CONFIG, inRepository, labelsOf, type Repository, repository } from './impact-repository.js';
import { filesIn } from './project-text.js';

// How `fwk impact` uses git, and its message if git fails.

const test = suite('fwk impact and git');

const before = filesIn(`
lib/word.ts     export const word = () => 'a';
api/word.get.ts import { word } from '../lib/word.js'; get(() => word())
api/other.get.ts get(() => 1)
`);
const CHANGED = "export const word = () => 'b';\n";
const WORD = ['GET /api/word'];
const listed = async (repo: Repository, ...args: string[]) => labelsOf(await repo.impact(...args));

test('edited, staged, committed, new and deleted files count since the start of the branch', async () => {
  const repo = repository(before);
  repo.git('checkout', '--quiet', '-b', 'topic');
  repo.write('lib/word.ts', CHANGED);
  assert.equal(await listed(repo, '--since', 'main'), WORD, 'edited');
  repo.git('add', '--all');
  assert.equal(await listed(repo, '--since', 'main'), WORD, 'staged');
  repo.commit();
  assert.equal(await listed(repo, '--since', 'main'), WORD, 'committed');
  assert.equal(await listed(repo, '--since', 'HEAD'), []);
  // Later commits on main are not part of the branch.
  repo.git('checkout', '--quiet', 'main');
  repo.write('api/other.get.ts', repo.read('api/other.get.ts').replace('1', '2'));
  repo.commit();
  repo.git('checkout', '--quiet', 'topic');
  assert.equal(await listed(repo, '--since', 'main'), WORD);
  repo.write('api/new.get.ts', repo.read('api/other.get.ts'));
  repo.remove('api/other.get.ts');
  assert.equal(await listed(repo, '--since', 'HEAD'), ['GET /api/new', 'GET /api/other (gone)']);
  assert.equal(await listed(repo, '--since', 'HEAD', 'src/api/new.get.ts'), ['GET /api/new']);
});

test('named files count as changed as a whole, and git provides the text of a deleted file', async () => {
  const repo = repository(before);
  assert.equal(await listed(repo, 'src/lib/word.ts'), WORD);
  assert.equal(await listed(repo, 'src/lib'), WORD, 'a directory');
  repo.remove('api/other.get.ts');
  assert.equal(await listed(repo, 'src/api/other.get.ts'), ['GET /api/other (gone)']);
});

test('if the changes cannot be determined, the exit code is 2 and the message gives the reason or the error of git', async () => {
  const repo = repository(before);
  for (const [args, message] of [
    [
      ['src/api/never.get.ts'],
      /^FWK866 src\/api\/never\.get\.ts is not there, nor in the last commit\. Name a file/,
    ],
    [['--since', 'nope'], /^FWK866 fatal: Not a valid object name nope$/m],
    [['--since=--output=x'], /^FWK866/m],
    [[], 'Name the files that changed, or say --since <ref>'],
  ] as const) {
    const { status, stdout, stderr } = await repo.run(...args);
    assert.equal([status, stdout], [2, '']);
    assert.match(stderr, message);
  }
  assert.not.ok(repo.exists('x'));
  const alone = project({ 'fwk.config.ts': CONFIG, ...before });
  const command = [bin('fwk'), 'impact', '--since', 'HEAD'];
  for (const [args, message] of [
    [
      [`GIT_CEILING_DIRECTORIES=${path.dirname(alone.root)}`, ...command],
      /^FWK866 fatal: not a git repository/m,
    ],
    [
      ['PATH=/nowhere', process.execPath, ...command],
      'git cannot be run: it is not installed, or not in PATH.',
    ],
  ] as const) {
    const { status, stderr } = await ended(start('/usr/bin/env', args, alone.root), 'fwk impact');
    assert.is(status, 2);
    assert.match(stderr, message);
  }
});

test('a project in a subdirectory of a worktree imports files outside of it', async () => {
  const made = project({ 'fwk.config.ts': CONFIG, ...before });
  const app = path.join(made.root, 'apps/shop');
  mkdirSync(app, { recursive: true });
  for (const name of ['src', 'package.json']) renameSync(path.join(made.root, name), path.join(app, name));
  writeFileSync(path.join(made.root, '.gitignore'), '.fwk/\n');
  mkdirSync(path.join(made.root, 'shared'));
  writeFileSync(path.join(made.root, 'shared/word.ts'), "export const word = () => 'a';\n");
  writeFileSync(path.join(app, 'src/lib/word.ts'), "export { word } from '../../../../shared/word.js';\n");
  const repo = inRepository({ ...made, root: app }, made.root);
  writeFileSync(path.join(made.root, 'shared/word.ts'), CHANGED);
  writeFileSync(path.join(made.root, 'elsewhere.ts'), 'x');
  assert.equal(await listed(repo, '--since', 'HEAD'), WORD);
  writeFileSync(path.join(made.root, 'tsconfig.base.json'), '{}');
  assert.match((await repo.impact('--since', 'HEAD')).everything.join(), '../../tsconfig.base.json');
  repo.restore();

  const tree = path.join(made.root, 'tree');
  repo.git('worktree', 'add', '--quiet', tree);
  const other = inRepository({ ...made, root: path.join(tree, 'apps/shop') }, tree, false);
  writeFileSync(path.join(tree, 'shared/word.ts'), CHANGED);
  assert.equal(await listed(other, '--since', 'main'), WORD);
  rmSync(tree, { recursive: true });
});

test('a shallow clone', async () => {
  const repo = repository(before);
  repo.write('lib/word.ts', CHANGED);
  repo.commit();
  const clone = project({});
  rmSync(clone.root, { recursive: true });
  repo.git('clone', '--quiet', '--depth', '1', `file://${repo.root}`, clone.root);
  const cut = inRepository(clone, clone.root, false);
  assert.equal(await listed(cut, '--since', 'HEAD'), []);
  const { status, stderr } = await cut.run('--since', 'other');
  assert.is(status, 2);
  assert.match(stderr, /^FWK866 fatal: Not a valid object name other$/m);
});

test.run();
