import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, fwk, start } from '../../harness/fwk.js';
import { project } from '../../harness/project.js';
import { refusal } from '../../harness/refusal.js';
import { tells } from '../../harness/source.js';

const test = suite('the folder of a project');

const files = { 'api/x.ts': tells('get', 'x') };

test('a command in a subfolder runs for the project', async () => {
  for (const layout of ['ts', 'js'] as const) {
    const made = project(files, layout);
    const inside = path.join(made.path('api/x.ts'), '..');
    assert.is((await fwk({ root: inside }, 'types')).status, 0);
    assert.ok(made.exists('.fwk/types.d.ts'));
    assert.equal(readdirSync(inside), [path.basename(made.label('api/x.ts'))]);
    assert.is((await fwk({ root: inside }, 'routes')).stdout, 'GET /api/x\n');
  }
});

test('a project without package.json inside another folder is independent', async () => {
  const made = project(files, 'js');
  const other = path.join(made.root, 'examples/one');
  mkdirSync(path.join(other, 'api'), { recursive: true });
  writeFileSync(path.join(other, 'api/y.js'), tells('get', 'y'));
  assert.is((await fwk({ root: other }, 'routes')).stdout, 'GET /api/y\n');
});

test('scaffold creates the folder', async () => {
  const made = project({});
  assert.is((await fwk(made, 'scaffold', '--dir', 'apps/new')).status, 0);
  assert.ok(existsSync(path.join(made.root, 'apps/new/src/web/get.ts')));
});

test('scaffold writes no starter routes if the project already has routes', async () => {
  const other = project({ 'package.json': '{ "dependencies": { "fastify": "^5.0.0" } }' });
  const own = project(files);
  for (const made of [other, own]) {
    const { status, stdout } = await fwk(made, 'scaffold');
    assert.is(status, 0);
    assert.not.match(stdout, /greeter|hello|web\/get|style\.css|home\.eta|app\.test/);
    assert.match(stdout, 'src/fwk.config.ts');
    assert.not.match(made.read('README.md'), 'hello');
  }
});

test('mcp prints the endpoint without tools, too', async () => {
  const { status, stdout, stderr } = await fwk(project(files), 'mcp');
  assert.equal({ status, stdout }, { status: 0, stdout: 'Endpoint /mcp\n' });
  assert.match(stderr, 'FWK519');
});

for (const [name, config, sentence] of [
  ['throws', "throw new Error('no url');", 'throws when it is imported: no url.'],
  ['exits', 'process.exit(3);', 'calls process.exit(3) when it is imported'],
  ['exits later', 'await null; process.exit(3);', 'calls process.exit(3) when it is imported'],
  ['exits in an imported module', "import './lib/env.js';", 'calls process.exit(4) when it is imported'],
] as const)
  test(`a config that ${name} stops all commands except fwk types`, async () => {
    const made = project({
      ...files,
      'fwk.config.ts': `${config}\nexport default {};\n`,
      'lib/env.ts': 'process.exit(4);\n',
    });
    const types = await fwk(made, 'types');
    assert.is(types.status, 0);
    assert.match(types.stderr, sentence);
    assert.match(types.stderr, 'The config cannot be used, so the types describe only the built-in plugins.');
    assert.match(made.read('.fwk/types.d.ts'), '/api/x');
    for (const command of ['routes', 'build']) assert.match(await refusal(made, command), sentence);
    assert.is((await fwk(made, 'doctor')).status, 1);
  });

const SERVES = `import { bootstrap } from 'fwkit';
const [url] = await bootstrap({ host: 'localhost', port: 0 });
console.log((await fetch(url + 'api/x')).status);
process.exit();
`;

test('bootstrap() serves the folder of the module that calls it', async () => {
  const made = project({ ...files, 'main.ts': SERVES, 'bin/start.mjs': "import '../main.js';\n" }, 'js');
  for (const args of [['main.js'], ['bin/start.mjs'], ['-e', "import('./main.js')"]]) {
    const { status, stdout } = await ended(start(process.execPath, args, made.root), 'node');
    assert.is(status, 0, stdout);
    assert.match(stdout, /^200$/m);
  }
});

test('bootstrap() rejects a folder without routes', async () => {
  const made = project({ ...files, 'bin/start.mjs': SERVES }, 'js');
  const { status, stderr } = await ended(start(process.execPath, ['bin/start.mjs'], made.root), 'node');
  assert.is(status, 1);
  assert.match(stderr, /FWK605 .*bin has no api\/, web\/ .*bootstrap\(\{ dir: import\.meta\.dirname \}\)/);
});

test('redis() in a package without a name is reported before the start', async () => {
  const made = project({
    ...files,
    'fwk.config.ts': `import { redis } from '@fwkit/redis';
export default { plugins: [redis({ client: () => { throw new Error('called'); } })] };
`,
  });
  assert.match(await refusal(made, 'routes'), 'FWK801');
  assert.match((await fwk(made, 'doctor')).stderr, 'FWK801');
});

test.run();
