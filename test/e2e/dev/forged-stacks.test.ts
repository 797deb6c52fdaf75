import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Dev, dev } from '../../harness/fwk.js';
import { request } from '../../harness/http.js';
import { production } from '../../harness/production.js';
import { type Files, type Project, project } from '../../harness/project.js';
import { module } from '../../harness/source.js';

const SECRET = 'the-secret-of-this-project';

/** A route that throws a text from the client. */
const throws = (statements: string) => module('post', `export default post((req) => { ${statements} });`);

const files: Files = {
  '.env': `# first\nKEY=${SECRET}\n`,
  'lib/never-run.ts': `export const key = '${SECRET}';\n`,
  'api/message.ts': throws('throw new Error(req.body);'),
  'api/later.ts': throws(
    `const error = new Error(req.body); void error.stack; error.message = 'another'; throw error;`,
  ),
  'api/shortened.ts': throws(`const error = new Error('x'); error.message = req.body; throw error;`),
  'api/empty.ts': throws(`const error = new Error(req.body); error.message = ''; throw error;`),
  'api/named.ts': throws(
    `class Refused extends Error { constructor(message) { super(message); this.name = 'Refused'; } }
     throw new Refused(req.body);`,
  ),
  'api/caused.ts': throws(`throw new Error('outside', { cause: new TypeError(req.body) });`),
  'api/many.ts': throws(`throw new AggregateError([new Error(req.body), new Error('b')], req.body);`),
  'api/function.ts': throws(
    `const call = { [req.body]() { throw new Error('inside'); } }; call[req.body]();`,
  ),
  'api/string.ts': throws('throw req.body;'),
};
const routes = Object.keys(files)
  .filter((name) => name.startsWith('api/'))
  .map((name) => `/${name.replace('.ts', '')}`);

/** Lines of a client that each name a file with the secret, or a pipe. */
function forged({ root, path }: Project): string[] {
  const places = [
    `${path('lib/never-run.ts')}:1:1`,
    `${root}/.env:2:1`,
    `${root}/src/../.env:2:1`,
    `${root}/src/api/../lib/never-run.ts:1:1`,
    `${root}/src/lib/../../.env:2:1`,
    `file://${root}/.env:2:1`,
    'file://elsewhere/.env:2:1',
    `${root}/pipe.ts:1:1`,
  ];
  return places.flatMap((place) => [
    `x\n    at f (${place})`,
    `x\n    at ${place}\n    at g (${place})\n`,
    `\n    at ${place}`,
  ]);
}

function made(): Project {
  const written = project(files);
  assert.is(spawnSync('mkfifo', [`${written.root}/pipe.ts`]).status, 0);
  return written;
}

const test = suite<{ server: Dev; written: Project }>('forged stacks');
test.before(async (context) => {
  context.written = made();
  context.server = await dev(context.written);
});
test.after(async ({ server }) => void (await server.stop()));

const ask = (url: string, path: string, body: string, accept = 'text/html') =>
  request(url, path, { method: 'POST', headers: { accept, 'content-type': 'text/plain' }, body });

for (const route of routes)
  test(`fwk dev shows no file that a client names: ${route}`, async ({
    server: { url, output },
    written,
  }) => {
    for (const body of forged(written)) {
      const { status, text } = await ask(url, route, body);
      assert.is(status, 500);
      assert.not.match(text, SECRET, body);
      if (route !== '/api/string') assert.match(text, `src${route}.ts:`, 'its own place is still shown');
    }
    assert.not.match(output.all, SECRET);
  });

test('compiled code shows no file that a client names', async () => {
  const server = await production(files, undefined, { mode: 'development' });
  try {
    // Without the source loader there is only the stack's text, in which a function name may contain anything.
    for (const route of routes.filter((path) => path !== '/api/function'))
      for (const body of forged(server.project)) {
        const { status, text } = await ask(server.url, route, body);
        assert.is(status, 500);
        assert.not.match(text, SECRET, `${route} ${body}`);
      }
    const { text } = await ask(server.url, '/api/message', 'plain');
    assert.match(text, 'api/message.');
  } finally {
    await server.stop();
  }
});

for (const [what, text] of Object.entries({
  brackets: ' ('.repeat(40_000),
  colons: ':1'.repeat(40_000),
  digits: `:${'1'.repeat(80_000)}`,
  rows: '\n    at '.repeat(10_000),
  'rows of brackets': `\n    at${' ('.repeat(40_000)}`,
  directories: `\n    at /${'node_modules/'.repeat(8_000)}`,
  controls: '\u001b['.repeat(40_000),
  links: '\u001b]8;;'.repeat(20_000),
  semicolons: `\u001b${';'.repeat(80_000)}`,
  imports: '(0, __vite_ssr_import_1'.repeat(4_000),
}))
  test(`80 KB of ${what} in an error message are processed quickly`, async ({ server: { url } }) => {
    const since = performance.now();
    for (const route of ['/api/message', '/api/named', '/api/caused', '/api/function'])
      assert.is((await ask(url, route, text, '*/*')).status, 500);
    assert.ok(performance.now() - since < 4_000, `${performance.now() - since} ms`);
  });

test.run();
