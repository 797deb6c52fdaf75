import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blocksOf } from '../../harness/documents.js';
import { dev, launch } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { type Project, project } from '../../harness/project.js';
import { build, TSCONFIG } from '../../harness/settings.js';

// Runs the migration guides from their text: fwk answers migrated routes, and the old framework the rest.

const test = suite('migration guides');

function written(page: string, ...libraries: string[]): Project {
  const files = blocksOf(page).flatMap(({ file, text }) =>
    file === undefined ? [] : [[file.replace(/^src\//, ''), text] as const],
  );
  const made = project({ ...Object.fromEntries(files), 'tsconfig.json': TSCONFIG });
  linkLibraries(made, ...libraries);
  return made;
}

/** Serves the `server.ts` of a page and checks that it exits with 0. */
async function served(made: Project, act: (ask: typeof fetch) => Promise<void>): Promise<void> {
  await build(made);
  const { child, output, end } = launch(
    '/usr/bin/env',
    ['PORT=0', process.execPath, 'dist/server.js'],
    made.root,
  );
  try {
    const [url] = await output.waitFor(/http:\S+:\d+/);
    await act((path, init) => fetch(`${url}${path}`, init));
  } finally {
    child.kill('SIGTERM');
    await end;
  }
}

const sent = (body: unknown, headers: Record<string, string> = {}, method = 'POST') => ({
  method,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

test('from-express', async () => {
  const made = written('docs/recipes/from-express.md', 'express', '@types/express');
  const text = made.read('server.ts');
  assert.match(text, '.listen(3000)');
  // A free port, printed when the server listens.
  made.write(
    'server.ts',
    `${text.replace('.listen(3000)', '.listen(0)')}
server.on('listening', () => console.log(\`http://localhost:\${(server.address() as { port: number }).port}\`));`,
  );
  await served(made, async (ask) => {
    assert.equal(await (await ask('/user/0')).json(), { name: 'Ada' });
    assert.is((await ask('/user/9')).status, 404);
    assert.is(await (await ask('/user/1', { method: 'POST' })).text(), 'Saved 1');
  });
});

test('from-fastify', async () => {
  await served(written('docs/recipes/from-fastify.md', 'fastify'), async (ask) => {
    assert.equal(await (await ask('/api/authors')).json(), ['Jane Austen']);
    const answer = await ask('/api/books', sent({ title: 'Emma' }, { authorization: 'Bearer ada' }));
    assert.equal([answer.status, await answer.json()], [201, { title: 'Emma', by: 'ada' }]);
    assert.is((await ask('/api/books', sent({ title: '' }))).status, 422);
    assert.match(await (await ask('/api/books')).text(), 'Route GET:/api/books not found');
  });
});

test('from-next', async () => {
  const made = written('docs/recipes/from-next.md');
  made.write(
    'api/forms.post.ts',
    `import { post } from 'fwkit';
import { fromNext } from '../lib/from-next.js';
export default post(fromNext(async (request) => Response.json([...(await request.formData()).keys()]))).meta({ body: 'stream' });
`,
  );
  const server = await dev(made);
  try {
    const books = await server.fetch('/api/books/7?full=1');
    assert.equal(await books.json(), { id: '7', full: true });
    const put = await server.fetch('/api/books/7', sent({ title: 'Emma' }, {}, 'PUT'));
    assert.equal([put.status, await put.json()], [201, { id: '7', title: 'Emma' }]);
    assert.is((await server.fetch('/api/books', sent({ title: 'Emma' }))).status, 201);
    const form = new FormData();
    form.set('file', new File(['x'.repeat(100_000)], 'a.txt'));
    assert.equal(await (await server.fetch('/api/forms', { method: 'POST', body: form })).json(), ['file']);
  } finally {
    await server.stop();
  }
});

test.run();
