import { appendFileSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev, type Ended, ended, fwk, start } from '../../harness/fwk.js';
import { bin, installed } from '../../harness/installed.js';
import { listing } from '../../harness/listing.js';
import { type Project, project } from '../../harness/project.js';
import { refusal } from '../../harness/refusal.js';
import { configFile } from '../../harness/source.js';
import { tsc } from '../../harness/tsc.js';

const test = suite('fwk plugin');

const folderOf = ({ root }: Project, name: string) => path.join(root, `fwk-${name}`);

/** Installs a plugin from a folder of the project. */
function install(made: Project, name: string): void {
  mkdirSync(path.join(made.root, 'node_modules'), { recursive: true });
  symlinkSync(folderOf(made, name), path.join(made.root, 'node_modules', `fwk-${name}`));
}

function passed({ status, stdout, stderr }: Ended): string {
  assert.is(status, 0, stdout + stderr);
  return stdout;
}

const name = 'daily-report-2';
const factory = 'dailyReport2';

test('the copy is renamed consistently, and its test and type check pass', async () => {
  const made = project({});
  const printed = passed(await fwk(made, 'plugin', name));
  assert.match(printed, `written   fwk-${name}/index.js\n`);
  assert.match(printed, `\nNext:\n  cd fwk-${name}\n  npm install\n  npm run test `);
  assert.match(printed, /\n {2}npm install --install-links \S+\n/);
  assert.match(printed, `import { ${factory} } from 'fwk-${name}'; … plugins: [${factory}()]`);
  const folder = folderOf(made, name);
  for (const [file, text] of Object.entries(listing({ root: folder })))
    assert.not.match(text, /warm.?up/i, file);
  const { peerDependencies, devDependencies } = JSON.parse(made.read(`fwk-${name}/package.json`));
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  assert.equal(
    [peerDependencies.fwkit, devDependencies.fwkit, devDependencies['@fwkit/build']],
    [`>=${version}`, `^${version}`, `^${version}`],
  );
  const tested = passed(await ended(start(process.execPath, ['--test'], folder), 'node --test'));
  assert.match(tested, /^# pass 2$|ℹ pass 2$/m);
  assert.match(tested, 'follows the rules for plugins');
  passed(await ended(start(bin('tsc'), [], folder), 'tsc'));
  appendFileSync(path.join(folder, 'index.js'), `${factory}().nothing();\n`);
  assert.match((await ended(start(bin('tsc'), [], folder), 'tsc')).stdout, /^index\.js\(\d+,.* 'nothing'/);
});

test('a project uses the copy', async () => {
  const made = project({
    'fwk.config.ts': `import { ${factory} } from 'fwk-${name}';\n${configFile(`{ plugins: [${factory}()], ${factory}: { quiet: false } }`)}`,
  });
  passed(await fwk(made, 'plugin', name));
  install(made, name);
  // As after `npm install` in its folder: the plugin resolves this copy first.
  cpSync(
    path.join(installed(), 'node_modules/fwkit'),
    path.join(folderOf(made, name), 'node_modules/fwkit'),
    {
      recursive: true,
      dereference: true,
    },
  );
  assert.match(passed(await fwk(made, 'scaffold')), `written   src/${name}/hello.ts\n`);
  assert.match(passed(await fwk(made, 'routes')), `${name.toUpperCase()} hello\n`);
  passed(await fwk(made, 'skills', '--ide', 'claude'));
  assert.match(made.read('.claude/skills/fwk/SKILL.md'), `## ${name}: \`src/${name}/\``);
  assert.equal(await tsc(made), []);
  const config = made.read('fwk.config.ts');
  made.write('fwk.config.ts', config.replace('quiet: false', "quiet: 'yes'"));
  const diagnostics = await tsc(made);
  assert.equal(
    diagnostics.map(({ file, code }) => `${file} ${code}`),
    ['src/fwk.config.ts TS2322'],
  );
  made.write('fwk.config.ts', config);

  const server = await dev(made);
  await server.waitFor(new RegExp(`Hello\\n${name.toUpperCase()} hello is done\\.`));
  const mark = server.output.mark();
  made.write(`${name}/hello.ts`, made.read(`${name}/hello.ts`).replace('Hello', 'Again'));
  await server.waitFor(new RegExp(`Again\\n${name.toUpperCase()} hello is done\\.`), mark);
  await server.stop();

  made.write(`${name}/hello.ts`, 'export default 1;\n');
  assert.match(await refusal(made, 'routes'), `src/${name}/hello.ts: is not of ${name}. Export default `);
});

test('rejects an invalid name and an existing folder', async () => {
  const made = project({});
  const refused: readonly (readonly [args: readonly string[], message: string])[] = [
    [['plugin'], 'fwk plugin needs <name>: fwk plugin <name>.'],
    [
      ['plugin', 'fwk-report'],
      '"fwk-report" begins with fwk-, which is put before the name anyway. Leave it out.',
    ],
    ...['Report', 'my_report', '../report', 'a--b', 'a-', '1st'].map(
      (name) =>
        [['plugin', name], `"${name}" cannot be the name of a plugin. Use lower-case letters`] as const,
    ),
    [['plugin', 'a'.repeat(61)], 'is longer than 60 characters. Choose a shorter name.'],
    [['plugin', 'api'], '"api" belongs to a built-in plugin. Choose another name.'],
    [['plugin', 'delete'], '"delete" cannot be the name of a function in its code. Choose another name.'],
    [
      ['plugin', 'report', '--dir', 'nowhere'],
      '--dir "nowhere" does not exist. Give the folder that fwk-report/ is to be in.',
    ],
  ];
  for (const [args, message] of refused) assert.match(await refusal(made, ...args), message);
  assert.not(made.exists('fwk-report'));

  mkdirSync(folderOf(made, 'report'));
  writeFileSync(path.join(folderOf(made, 'report'), 'index.js'), 'mine');
  assert.match(
    await refusal(made, 'plugin', 'report'),
    'exists already. Choose another name, or give --force to overwrite its files.',
  );
  assert.match(passed(await fwk(made, 'plugin', 'report', '--force')), 'written   fwk-report/index.js');
});

test.run();
