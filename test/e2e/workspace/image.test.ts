import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { atExit } from '../../harness/cleanup.js';
import { followed } from '../../harness/dockerfile.js';
import { ended, fwk, start } from '../../harness/fwk.js';
import { Output } from '../../harness/output.js';
import { KEPT, packageAs, tarball } from '../../harness/packages.js';
import { anyOf } from '../../harness/sample.js';
import { route } from '../../harness/source.js';
import { answerOf } from '../cli/scaffold.js';

// The image of an app in a workspace: built from the root, with what of the workspace it needs and nothing else.

const test = suite('the image of an app in a workspace');

const MANAGERS = {
  pnpm: { spec: 'pnpm@^10', lock: ['install', '--lockfile-only'], lockfile: 'pnpm-lock.yaml' },
  npm: { spec: 'npm@^11', lock: ['install', '--package-lock-only'], lockfile: 'package-lock.json' },
} as const;

/** Longer than a command may take that downloads packages. */
const patience = 120_000;

const json = (value: unknown) => JSON.stringify(value);
const compiler = (more: object = {}) =>
  json({
    extends: '../../tsconfig.base.json',
    compilerOptions: { rootDir: 'src', outDir: 'dist', ...more },
    include: ['src', '.fwk/**/*'],
  });
const library = (name: string, dependencies: object, link: string) =>
  json({
    name,
    version: '1.0.0',
    type: 'module',
    exports: { types: './dist/index.d.ts', default: './dist/index.js' },
    scripts: { build: 'tsc -p .' },
    dependencies: Object.fromEntries(Object.keys(dependencies).map((one) => [one, link])),
    devDependencies: { typescript: '^5.9.0' },
  });

const files = (link: string): Readonly<Record<string, string>> => ({
  'package.json': json({ name: 'acme', private: true, type: 'module', workspaces: ['apps/*', 'packages/*'] }),
  'pnpm-workspace.yaml': 'packages:\n  - apps/*\n  - packages/*\n',
  '.gitignore': 'node_modules/\ndist/\n.fwk/\n',
  'tsconfig.base.json': json({
    compilerOptions: {
      target: 'es2023',
      module: 'nodenext',
      strict: true,
      skipLibCheck: true,
      declaration: true,
    },
  }),
  'apps/api/package.json': json({
    name: '@acme/api',
    private: true,
    type: 'module',
    scripts: { build: 'fwk build', start: 'node dist/main.js' },
    dependencies: { fwkit: `file:${tarball()}`, '@acme/words': link },
    devDependencies: { '@fwkit/build': `file:${tarball('@fwkit/build')}`, '@types/node': '^20.0.0' },
  }),
  'apps/api/tsconfig.json': compiler({ declaration: false }),
  'apps/api/.env.local': 'SECRET=1\n',
  'apps/api/src/main.ts': `import { bootstrap } from 'fwkit';\nawait bootstrap();\n`,
  'apps/api/src/api/words.get.ts': `import { words } from '@acme/words';\n${route('get', '() => words')}`,
  'apps/other/package.json': json({ name: '@acme/other', private: true, type: 'module' }),
  'apps/other/index.js': '',
  'packages/words/package.json': library('@acme/words', { '@acme/marks': '' }, link),
  'packages/words/tsconfig.json': compiler(),
  'packages/words/src/index.ts': `import { mark } from '@acme/marks';\nexport const words: string[] = ['built', mark];\n`,
  'packages/marks/package.json': library('@acme/marks', {}, link),
  'packages/marks/tsconfig.json': compiler(),
  'packages/marks/src/index.ts': `export const mark: string = '!';\n`,
});

for (const name of anyOf(['pnpm', 'npm'] as const))
  test(`with ${name}`, async () => {
    const { spec, lock, lockfile } = MANAGERS[name];
    const base = realpathSync(mkdtempSync(path.join(tmpdir(), `fwk-workspace-${name}-`)));
    atExit(() => rmSync(base, { recursive: true, force: true, maxRetries: 3 }));
    const root = path.join(base, 'acme');
    for (const [file, text] of Object.entries(files(name === 'pnpm' ? 'workspace:*' : '*'))) {
      if (name === 'npm' && file === 'pnpm-workspace.yaml') continue;
      mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      writeFileSync(path.join(root, file), text);
    }
    const bin = path.join(packageAs(name, `npm:${spec}`), 'node_modules/.bin');
    const run = async (cwd: string, command: string, env: Readonly<Record<string, string>> = {}) => {
      const all: Readonly<Record<string, string>> = {
        npm_config_prefer_offline: 'true',
        npm_config_audit: 'false',
        npm_config_fund: 'false',
        ...(name === 'pnpm' && {
          npm_config_store_dir: path.join(KEPT, 'pnpm'),
          npm_config_cache_dir: path.join(base, 'cache'),
        }),
        ...env,
        PATH: `${bin}:${process.env.PATH}`,
      };
      const child = start(
        'env',
        [...Object.entries(all).map(([key, value]) => `${key}=${value}`), 'sh', '-c', command],
        cwd,
      );
      const output = new Output(child);
      const { status } = await ended(child, command, output, patience);
      assert.is(status, 0, output.all);
    };
    await run(root, [name, ...lock].join(' '));
    const written = await fwk({ root }, 'build', '--docker', '--dir', 'apps/api');
    assert.equal([written.status, written.stderr], [0, '']);

    const commands: string[] = [];
    const image = await followed(
      root,
      async (command, folder, env) => {
        commands.push(command);
        // It would be for all of this machine.
        if (command === 'npm install --global pnpm@10') return;
        // `npm ci` refuses a lockfile made with a registry that has not the packages of other platforms, as some mirrors have.
        await run(folder, command.replace(/^npm ci/, 'npm install'), env);
      },
      'apps/api',
    );
    const builds = commands
      .filter((command) => / build\b/.test(command))
      .map((command) => /(?:apps|packages)\/\w+/.exec(command)?.[0]);
    assert.equal(builds, ['packages/marks', 'packages/words', 'apps/api']);
    assert.equal(
      readdirSync(path.join(image.folder, 'packages/words'))
        .sort()
        .filter((one) => one !== 'node_modules'),
      ['dist', 'package.json', 'src', 'tsconfig.json'],
    );
    for (const absent of [
      'apps/other/index.js',
      'apps/api/.env.local',
      'apps/api/src',
      'node_modules/typescript',
      'apps/api/node_modules/@fwkit/build',
      'node_modules/@fwkit/build',
    ])
      assert.not(existsSync(path.join(image.folder, absent)), absent);
    assert.ok(existsSync(path.join(image.folder, lockfile)));
    assert.equal(
      [image.directory, image.command],
      [path.join(image.folder, 'apps/api'), ['node', 'dist/main.js']],
    );
    assert.equal(await answerOf({ root: image.directory }, '/api/words'), ['built', '!']);
  });

test.run();
