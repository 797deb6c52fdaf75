import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { violationsOf } from '../../harness/accessibility.js';
import { contexts, hasBrowser } from '../../harness/browser.js';
import { dev, type Ended, ended, fwk, start } from '../../harness/fwk.js';
import { bin } from '../../harness/installed.js';
import { depend } from '../../harness/libraries.js';
import { type Project, project } from '../../harness/project.js';
import { sampled, unsampled } from '../../harness/sample.js';
import { production } from '../../harness/settings.js';
import { compilers } from '../../harness/tsc.js';
import { answerOf } from './scaffold.js';

const hello = { message: 'Hello, you!' };

async function scaffolded(...flags: string[]): Promise<Project> {
  const made = project({}, flags.includes('--js') ? 'js' : 'ts');
  made.remove('package.json');
  assert.is((await fwk(made, 'scaffold', ...flags)).status, 0);
  return made;
}

const clean: Ended = { status: 0, stdout: '', stderr: '' };

const test = suite('scaffolded');
const inContext = contexts(test);

unsampled(test)('axe-core finds no violation on the page in light and dark mode', async () => {
  if (!hasBrowser) return;
  const server = await dev(await scaffolded());
  try {
    await inContext(async (context) => {
      const page = await context.newPage();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.goto(server.url);
        assert.equal(await violationsOf(page, 10), [], colorScheme);
      }
    });
  } finally {
    await server.stop();
  }
});

unsampled(test)('the JavaScript check passes, and finds an added mistake', async () => {
  const made = await scaffolded('--js');
  const check = () => ended(start('npm', ['run', '--silent', 'check'], made.root), 'npm run check');
  assert.is((await check()).status, 0);
  made.write('api/wrong.get.ts', 'export default 5;\n');
  const { status, stderr } = await check();
  assert.is(status, 1);
  assert.match(stderr, 'api/wrong.get.js');
});

test('a JavaScript project starts and lists its routes without changes', async () => {
  const made = await scaffolded('--js');
  assert.equal(await answerOf(made), hello);
  const listed = 'GET /\nGET /api/hello/:name\n';
  assert.equal(await fwk(made, 'routes'), { status: 0, stdout: listed, stderr: '' });
});

for (const flags of [[], ['--js']]) {
  test(`fwk scaffold ${flags.join()} with zod in package.json adds a route with a schema`, async () => {
    const made = project({}, flags.includes('--js') ? 'js' : 'ts');
    depend(made, 'zod');
    assert.is((await fwk(made, 'scaffold', ...flags)).status, 0);
    if (made.layout === 'ts') assert.equal(await ended(start(bin('tsc'), [], made.root), 'tsc'), clean);
    const server = await dev(made);
    const greet = async (body: object) => {
      const headers = { 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      const answer = await server.fetch('/api/hello', init);
      return { status: answer.status, body: (await answer.json()) as unknown };
    };
    try {
      assert.equal(await (await server.fetch('/api/hello/you')).json(), hello);
      assert.equal(await greet({ name: 'you' }), { status: 200, body: hello });
      assert.is((await greet({})).status, 422);
    } finally {
      await server.stop();
    }
  });
}

unsampled(test)('TypeScript 5.9 compiles the project, and the output serves', async () => {
  const made = await scaffolded();
  const compiler = compilers[5.9]?.() ?? '';
  assert.match((await ended(start(compiler, ['--version'], made.root), 'tsc')).stdout, 'Version 5.9.');
  assert.equal(await ended(start(compiler, [], made.root), 'tsc'), clean);
  assert.equal(await answerOf(made), hello);
});

unsampled(test)('stack traces in production point to the sources', async () => {
  const made = await scaffolded();
  made.write(
    'api/fails.get.ts',
    `import { get } from 'fwkit';\n\nexport default get(() => {\n  throw new Error('on purpose');\n});\n`,
  );
  assert.is((await fwk(made, 'build')).status, 0);
  const { url, output, child, end } = await production(made);
  assert.is((await fetch(`${url}/api/fails`)).status, 500);
  await output.waitFor(/Error: on purpose(?:\s|\\n)+at .*src\/api\/fails\.get\.ts:4/);
  child.kill('SIGTERM');
  await end;
});

unsampled(test)('the remaining starter compiles if a convention is disabled', async () => {
  for (const name of sampled(['context', 'api', 'typegen', 'middlewares'], 2)) {
    const made = project({
      'fwk.config.ts': `import { defineConfig } from 'fwkit';\nexport default defineConfig({ disable: ['${name}'] });\n`,
    });
    assert.is((await fwk(made, 'scaffold')).status, 0);
    assert.equal(await ended(start(bin('tsc'), [], made.root), 'tsc'), clean, name);
    if (name !== 'api') assert.equal(await answerOf(made), hello, name);
  }
});

test.run();
