import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { atExit } from '../../harness/cleanup.js';
import { edit } from '../../harness/edit.js';
import { dev, fwk } from '../../harness/fwk.js';
import { request } from '../../harness/http.js';
import { type Project, project } from '../../harness/project.js';
import { route } from '../../harness/source.js';
import { createTestApp } from '../../harness/testing.js';

const test = suite('linked packages');

const manifest = (name: string, exports: unknown, more: object = {}) =>
  JSON.stringify({ name, type: 'module', exports, ...more });

/** Packages beside an app, by file. */
const PACKAGES = {
  'words/package.json': manifest('@acme/words', { '.': './src/index.ts', './deep': './src/deep.ts' }),
  'words/src/index.ts': `import { deep } from '@acme/words/deep';\nimport { mark } from './mark';\nimport { late } from '@acme/late';
export const words = (given: string): string[] => [given, deep, mark, late];\n`,
  'words/src/deep.ts': `export const deep: string = 'deep';\n`,
  'words/src/mark.ts': `export const mark: string = 'first';\n`,
  'late/package.json': manifest('@acme/late', {
    '.': { '@acme/source': './src/index.ts', default: './dist/index.js' },
    './source': './src/index.ts',
  }),
  'late/src/index.ts': `import { text } from './text.js';\nexport const late: string = text;\n`,
  'late/src/text.ts': `export const text: string = 'from source';\n`,
  'late/dist/index.js': `export const late = 'from dist';\n`,
  'built/package.json': manifest('@acme/built', './dist/index.js'),
  'built/dist/index.js': `export const built = 'once';\n`,
  'old/package.json': manifest('@acme/old', './index.js', { type: 'commonjs' }),
  'old/index.js': `exports.old = 'as it is';\n`,
};

const APP = {
  'package.json': JSON.stringify({ name: '@acme/api', type: 'module' }),
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      module: 'nodenext',
      rootDir: 'src',
      outDir: 'dist',
      customConditions: ['@acme/source'],
    },
  }),
  'api/words.get.ts': `import { words } from '@acme/words';\nimport { built } from '@acme/built';\nimport { old } from '@acme/old';
${route('get', `() => [...words('word'), built, old].join()`)}`,
};

/** An app with these packages in its node_modules, as links. */
function workspace(): { app: Project; packages: string; save(file: string, text: string): void } {
  const app = project(APP);
  const packages = project({}, 'js');
  const save = (file: string, text: string) => {
    const at = path.join(packages.root, file);
    mkdirSync(path.dirname(at), { recursive: true });
    writeFileSync(at, text);
  };
  for (const [file, text] of Object.entries(PACKAGES)) save(file, text);
  for (const folder of [app.root, path.join(packages.root, 'words')]) {
    mkdirSync(path.join(folder, 'node_modules/@acme'), { recursive: true });
    for (const name of ['words', 'late', 'built', 'old'])
      symlinkSync(path.join(packages.root, name), path.join(folder, 'node_modules/@acme', name));
  }
  return { app, packages: packages.root, save };
}

test('runs TypeScript of linked packages, and reloads their rebuilt output', async () => {
  const { app, save } = workspace();
  const running = await dev(app);
  atExit(() => running.stop().catch(() => {}));
  const site = { dev: running, raw: (at: string) => request(running.url, at) };
  const shows = (change: () => void, expected: string) => edit(site, change, '/api/words', expected);
  assert.is(await (await running.fetch('/api/words')).json(), 'word,deep,first,from source,once,as it is');
  await shows(
    () => save('words/src/mark.ts', `export const mark: string = 'second';\n`),
    'word,deep,second,from source,once,as it is',
  );
  await shows(
    () => save('late/src/index.ts', `export const late: string = 'saved';\n`),
    'word,deep,second,saved,once,as it is',
  );
  await shows(
    () => save('built/dist/index.js', `export const built = 'twice';\n`),
    'word,deep,second,saved,twice,as it is',
  );
  await running.stop();
});

test('a test app and commands that boot sources run them, too', async () => {
  const { app } = workspace();
  const tested = await createTestApp({ dir: app.root });
  assert.is(await (await tested.get('/api/words')).json(), 'word,deep,first,from source,once,as it is');
  await tested.close();
  const { status, stderr } = await fwk(app, 'routes');
  assert.equal([status, stderr], [0, '']);
});

test.run();
