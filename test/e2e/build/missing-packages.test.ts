import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { atExit } from '../../harness/cleanup.js';
import { ended, start } from '../../harness/fwk.js';
import { installed, repo } from '../../harness/installed.js';

// Outside the folder of the tests, whose node_modules would be found.
const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'fwk-bare-')));
atExit(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
const modules = path.join(root, 'node_modules');
cpSync(path.join(installed(), 'node_modules/fwkit'), path.join(modules, 'fwkit'), { recursive: true });

function write(name: string, contents: string | object): void {
  const file = path.join(root, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, typeof contents === 'string' ? contents : JSON.stringify(contents));
}
const manifest = (more: object = {}) => write('package.json', { type: 'module', ...more });
const run = async (...args: string[]) =>
  ended(start(process.execPath, [path.join(modules, 'fwkit/cli/fwk.js'), ...args], root), args.join(' '));
/** Without error codes and links, which have tests of their own. */
const withoutCode = (message: string): string =>
  message.replace(/^FWK611 /, '').replace('Read more: npx fwk docs FWK611\n', '');
async function sentence(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await run(...args);
  assert.equal([status, stdout], [1, ''], args.join(' '));
  return withoutCode(stderr);
}

manifest();
write('src/api/a.get.ts', `import { get } from 'fwkit';\nexport default get(() => 'a');\n`);
write('src/api/b.get.ts', `import { get } from 'fwkit';\nexport default get(() => 'b');\n`);

const test = suite('without @fwkit/build');
const SOURCES = 'Sources are run by @fwkit/build, which is not installed.';

test('each command that runs sources reports the missing package once, and fwk dev exits', async () => {
  for (const command of ['routes', 'mcp', 'dev'])
    assert.is(await sentence(command), `${SOURCES} Run npm install --save-dev @fwkit/build@0.1.0.\n`);
});

test('suggests the install command of the package manager if package.json names the package', async () => {
  manifest({ devDependencies: { '@fwkit/build': '^0.1.0' } });
  assert.is(await sentence('routes'), `${SOURCES} Run npm install.\n`);
  write('pnpm-lock.yaml', '');
  assert.is(await sentence('routes'), `${SOURCES} Run pnpm install.\n`);
  rmSync(path.join(root, 'pnpm-lock.yaml'));
  manifest();
});

test('rejects another version', async () => {
  write('node_modules/@fwkit/build/package.json', { name: '@fwkit/build', version: '0.0.9' });
  assert.is(
    await sentence('routes'),
    '@fwkit/build is version 0.0.9, and fwkit 0.1.0: they have to be the same. Run npm install --save-dev @fwkit/build@0.1.0.\n',
  );
});

test('reports why the package fails to load', async () => {
  write('node_modules/@fwkit/build/package.json', {
    name: '@fwkit/build',
    version: '0.1.0',
    exports: { '.': './index.js', './package.json': './package.json' },
  });
  write('node_modules/@fwkit/build/index.js', `throw new Error('Cannot find native binding.\\n\\tmore');\n`);
  assert.is(
    await sentence('routes'),
    '@fwkit/build is installed, but cannot be loaded: Cannot find native binding. Remove node_modules and run npm install.\n',
  );
  rmSync(path.join(modules, '@fwkit'), { recursive: true });
});

test('fwk build names the missing compiler, and uses the compiler of the project if it has one', async () => {
  write('tsconfig.json', {
    compilerOptions: {
      module: 'nodenext',
      target: 'es2023',
      rootDir: 'src',
      outDir: 'dist',
      strict: true,
      skipLibCheck: true,
    },
    include: ['src', '.fwk/**/*'],
  });
  const without = await run('build');
  assert.is(without.status, 1);
  assert.is(
    withoutCode(without.stderr),
    'TypeScript is compiled by @fwkit/build, which is not installed. Run npm install --save-dev @fwkit/build@0.1.0.\n',
  );
  symlinkSync(path.join(repo, 'node_modules/typescript'), path.join(modules, 'typescript'));
  write('src/lib/now.ts', `import { hrtime } from 'node:process';\nexport const now = hrtime.bigint();\n`);
  const { status, stdout } = await run('build');
  assert.is(status, 1);
  assert.match(
    stdout,
    'The types of Node, which the types of fwkit need, are not installed. Run npm install --save-dev @types/node.',
  );
});

test.run();
