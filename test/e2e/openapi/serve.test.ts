import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev, fwk } from '../../harness/fwk.js';
import { request } from '../../harness/http.js';
import { linkLibraries } from '../../harness/libraries.js';
import { production } from '../../harness/production.js';
import { type Files, project } from '../../harness/project.js';
import { assertReported, refusal } from '../../harness/refusal.js';
import { type Running, running } from '../../harness/running.js';
import { configFile, middleware, module, tells } from '../../harness/source.js';
import { checked } from '../http/validation-project.js';

const DOCUMENT = '/openapi.json';
const PAGE = '/_fwk/docs';

const config = (openapi: string): Files => ({
  'fwk.config.ts': configFile(`{ openapi: ${openapi} }`),
});

const MARK = middleware(`(req, res, ctx, next) => { res.header('x-mark', '1'); return next(); }`);

interface Document {
  readonly info: { readonly title: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary: string }>>>>;
}

const files: Files = { 'api/a.get.ts': tells('get', 'a'), 'middlewares/1.mark.ts': MARK };

const test = suite('openapi served');

test('in development, describes the version that answers', () =>
  running(files, async ({ server, save, json }: Running) => {
    const [page, head, posted] = await Promise.all([
      server.fetch(PAGE),
      server.fetch(DOCUMENT, { method: 'HEAD' }),
      server.fetch(DOCUMENT, { method: 'POST' }),
    ]);
    assert.equal([page.status, head.status, posted.status], [200, 200, 404]);
    const html = await page.text();
    assert.ok(Buffer.byteLength(html) < 30_000, `${Buffer.byteLength(html)} bytes`);
    assert.not.match(html, /https?:|src=|@import|innerHTML/);
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(
      policy,
      /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; connect-src 'self'/,
    );
    const before = (await json(DOCUMENT)) as Document;
    assert.equal(Object.keys(before.paths), ['/api/a']);
    await save({ 'api/b.get.ts': tells('get', 'b') });
    const after = (await json(DOCUMENT)) as Document;
    assert.equal(Object.keys(after.paths), ['/api/a', '/api/b']);
    // Also after an edit that changes only a definition's text.
    await save({ 'api/b.get.ts': module('get', `export default get({ title: 'Bee' }, () => 1);`) });
    const named = (await json(DOCUMENT)) as Document;
    assert.is(named.paths['/api/b']?.get?.summary, 'Bee');
    // The project's own.
    await save({ 'web/openapi.json.get.ts': tells('get', 'own') });
    assert.is(((await json(DOCUMENT)) as { at: string }).at, 'own');
    await save(config('{ serve: true }'));
    assert.is(((await json(DOCUMENT)) as { at: string }).at, 'own');
    // Only known hosts are answered, as everywhere in development.
    assert.is((await request(server.url, PAGE, { headers: { host: 'evil.test' } })).status, 403);
    await save(config('{ serve: false }'));
    assert.is((await server.fetch(PAGE)).status, 404);
  }));

test('in production if enabled, behind the layers around all routes', async () => {
  const made = project({ ...files, ...config('{ serve: true }') });
  const listed = 'GET /_fwk/docs\nGET /api/a\nGET /openapi.json\n';
  const sorted = (text: string) => text.split('\n').sort().join('\n');
  assert.is(sorted((await fwk(made, 'routes')).stdout), sorted(listed));
  const server = await production({ ...files, ...config("{ serve: true, title: 'Shop', version: '7' }") });
  try {
    const { status, headers, json } = await server.raw(DOCUMENT);
    assert.equal([status, headers['x-mark']], [200, '1']);
    assert.equal((json as Document).info, { title: 'Shop', version: '7' } as never);
    assert.equal(Object.keys((json as Document).paths), ['/api/a']);
    const page = await server.raw(PAGE);
    assert.equal([page.status, page.headers['x-mark']], [200, '1']);
    assert.match(page.text, '<!doctype html>');
  } finally {
    await server.stop();
  }
});

test('in production, it is off by default', async () => {
  const plain = await production(files);
  assert.equal([(await plain.raw(DOCUMENT)).status, (await plain.raw(PAGE)).status], [404, 404]);
  await plain.stop();
});

test('the command needs no config', async () => {
  const made = project(files);
  const { status, stdout } = await fwk(made, 'routes', '--openapi');
  assert.is(status, 0);
  assert.equal(Object.keys((JSON.parse(stdout) as Document).paths), ['/api/a']);
});

test('a disabled plugin adds no flag', async () => {
  const disabled = configFile(`{ disable: ['openapi'] }`);
  const made = project({ ...files, 'fwk.config.ts': disabled });
  assert.match(await refusal(made, 'routes', '--openapi'), '--openapi');
});

test('reports unknown security schemes', async () => {
  const made = project({
    ...config(`{ security: { session: { type: 'apiKey', in: 'cookie', name: 's' } } }`),
    'api/a.get.ts': checked('get', `{ security: ['sesion'] }`, '() => 1'),
    'api/b/_middleware.ts': `export const security = ['token'];\n${MARK}`,
    'api/b/c.get.ts': tells('get', 'c'),
    'api/d/_middleware.ts': `export const security = 'session';\n${MARK}`,
    'api/d/e.get.ts': tells('get', 'e'),
  });
  linkLibraries(made);
  const told = await refusal(made, 'routes');
  const missing = (name: string) =>
    `names the security scheme "${name}", but openapi.security in fwk.config has "session". Add "${name}" there, or correct the name.`;
  assertReported(told, made, 'api/a.get.ts', missing('sesion'));
  assertReported(told, made, 'api/b/_middleware.ts', missing('token'));
  assertReported(
    told,
    made,
    'api/d/_middleware.ts',
    `exports a "security" that is not a list of names. Write export const security = ['session'].`,
  );
  assert.is(await refusal(made, 'routes', '--openapi'), told);
  made.write(
    'tsconfig.json',
    JSON.stringify({
      compilerOptions: { module: 'nodenext', skipLibCheck: true, rootDir: 'src', outDir: 'dist' },
    }),
  );
  const built = await fwk(made, 'build');
  assert.is(built.status, 1);
  assert.match(built.stderr, `src/api/a.get.ts: ${missing('sesion')}`);
});

test('creating a long document does not block other requests', async () => {
  const wide =
    "z.object(Object.fromEntries(Array.from({ length: 150 }, (_, n) => ['field' + n, z.number()])))";
  const many = Object.fromEntries(
    Array.from({ length: 400 }, (_, n) => [
      `api/r${n}.post.ts`,
      checked('post', `{ body: ${wide}, response: ${wide} }`, '({ body }) => body'),
    ]),
  );
  const made = project({ ...many, 'package.json': '{ "type": "module", "name": "many" }' });
  linkLibraries(made);
  const server = await dev(made);
  try {
    let done = false;
    const asked = server.fetch(DOCUMENT).then(async (answer) => {
      const { paths } = (await answer.json()) as Document;
      done = true;
      return Object.keys(paths).length;
    });
    // One after the other: where the document is made in one go, a few are answered before that and after it.
    let answered = 0;
    for (; !done; answered++) await (await server.fetch('/nowhere')).text();
    assert.is(await asked, 400);
    assert.ok(answered > 25, `${answered} others were answered meanwhile`);
  } finally {
    await server.stop();
  }
});

test.run();
