import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { type Files, type Project, project } from '../../harness/project.js';
import { sampled, unsampled } from '../../harness/sample.js';
import { builtOnce, MAIN, TSCONFIG } from '../../harness/settings.js';
import { textRoute } from '../../harness/source.js';

const files: Files = {
  'tsconfig.json': TSCONFIG,
  'main.ts': MAIN,
  'api/old.ts': textRoute('old'),
  'api/stays.ts': textRoute('stays'),
  'lib/deep/only.ts': 'export const only = 1;',
};

async function builds(made: Project): Promise<string> {
  const { status, stdout, stderr } = await fwk(made, 'build');
  assert.is(status, 0, stdout + stderr);
  return stdout;
}

const copyOfBuilt = builtOnce(files);

async function built(more?: Files): Promise<Project> {
  const made = more ? project({ ...files, ...more }) : await copyOfBuilt();
  if (more) await builds(made);
  for (const name of ['api/old.js', 'lib/deep/only.js']) assert.ok(made.exists(`dist/${name}`));
  return made;
}

const at = (made: Project, name: string) => `${made.root}/${name}`;
const exists = (made: Project, name: string) => existsSync(at(made, name));

const test = suite('building again');

test('a build after a rename and a deletion removes its old output, maps and empty directories', async () => {
  const made = await built();
  renameSync(made.path('api/old.ts'), made.path('api/new.ts'));
  rmSync(made.path('lib/deep/only.ts'));
  const told = await builds(made);
  for (const name of ['dist/api/old.js', 'dist/lib/deep/only.js']) {
    assert.match(told, `${name} was removed: its source no longer exists.\n`);
    assert.not.ok(exists(made, name), name);
    assert.not.ok(exists(made, `${name}.map`), name);
  }
  assert.not.ok(exists(made, 'dist/lib'));
  for (const name of ['new', 'stays']) assert.ok(exists(made, `dist/api/${name}.js`), name);
  assert.not.match(await builds(made), 'was removed');
});

unsampled(test)('a build keeps files of the user', async () => {
  const made = await built();
  mkdirSync(at(made, 'dist/lib/data'), { recursive: true });
  const own = ['dist/lib/data/rows.json', 'dist/notes.txt', 'dist/lib/own.js', 'dist/lib/deep/only.css'];
  for (const name of own) writeFileSync(at(made, name), 'own');
  for (const name of ['api/old.ts', 'lib/deep/only.ts']) rmSync(made.path(name));
  await builds(made);
  for (const name of own) assert.ok(exists(made, name), name);
  assert.not.ok(exists(made, 'dist/api/old.js'));
});

test('a build rejects a compiled route that no build wrote', async () => {
  const made = await built();
  writeFileSync(at(made, 'dist/api/own.js'), textRoute('own'));
  const { status, stderr } = await fwk(made, 'build');
  assert.is(status, 1);
  assert.match(stderr, 'dist/api/own.js: has no source any more. Delete it');
  assert.ok(exists(made, 'dist/api/own.js'));
});

unsampled(test)('a build removes the output of a failed build', async () => {
  const made = await built({
    'tsconfig.json': TSCONFIG.replace('"compilerOptions":{', '"compilerOptions":{"noEmitOnError":false,'),
  });
  made.write('api/wrong.ts', `${textRoute('wrong')}\nexport const x: number = 'text';`);
  assert.is((await fwk(made, 'build')).status, 2);
  assert.ok(exists(made, 'dist/api/wrong.js'));
  rmSync(made.path('api/wrong.ts'));
  await builds(made);
  assert.not.ok(exists(made, 'dist/api/wrong.js'));
});

unsampled(test)('each output directory has its own record', async () => {
  const made = await built();
  made.write('tsconfig.json', TSCONFIG.replace('dist', 'out'));
  rmSync(made.path('api/old.ts'));
  assert.not.match(await builds(made), 'was removed');
  assert.ok(exists(made, 'dist/api/old.js'));
  rmSync(made.path('lib/deep/only.ts'));
  assert.match(await builds(made), 'out/lib/deep/only.js was removed');
  made.write('tsconfig.json', TSCONFIG);
  assert.match(await builds(made), 'dist/api/old.js was removed');
});

for (const [what, text] of sampled(
  Object.entries({
    'that leads elsewhere': JSON.stringify({
      dist: { '../victim.js': 'src/none.ts', 'api/x.js': 7 },
      '..': {},
    }),
    'that is gone': undefined,
    'that is broken': '{ "dist": ',
  }),
))
  test(`with a record ${what}, nothing is removed, and the next build writes a new record`, async () => {
    const made = await built();
    made.write('./victim.js', 'own');
    if (text === undefined) rmSync(at(made, '.fwk'), { recursive: true });
    else writeFileSync(at(made, '.fwk/built.json'), text);
    rmSync(made.path('lib/deep/only.ts'));
    assert.not.match(await builds(made), 'was removed');
    assert.ok(exists(made, 'dist/lib/deep/only.js'));
    assert.ok(exists(made, 'victim.js'));
    rmSync(made.path('api/old.ts'));
    assert.match(await builds(made), 'dist/api/old.js was removed');
  });

unsampled(test)('an incremental build remembers the files that it did not write again', async () => {
  const made = await built({
    'tsconfig.json': TSCONFIG.replace('"compilerOptions":{', '"compilerOptions":{"incremental":true,'),
  });
  await builds(made);
  rmSync(made.path('api/old.ts'));
  assert.match(await builds(made), 'dist/api/old.js was removed');
});

for (const [name, options, add] of [
  ['incremental', { incremental: true }, unsampled(test)],
  ['composite', { composite: true }, unsampled(test)],
  [
    'with a file of its own for that',
    { incremental: true, tsBuildInfoFile: '.cache/tsbuild' },
    unsampled(test),
  ],
] as const)
  add(`an incremental build rewrites missing output: ${name}`, async () => {
    const settings = JSON.parse(TSCONFIG) as { compilerOptions: object };
    const compilerOptions = { ...settings.compilerOptions, ...options };
    const made = await built({ 'tsconfig.json': JSON.stringify({ ...settings, compilerOptions }) });
    rmSync(at(made, 'dist'), { recursive: true });
    await builds(made);
    assert.ok(exists(made, 'dist/api/old.js'));
    rmSync(at(made, 'dist/api'), { recursive: true });
    await builds(made);
    assert.ok(exists(made, 'dist/api/old.js'));
  });

test.run();
