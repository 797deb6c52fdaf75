import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk, launch } from '../../harness/fwk.js';
import { bin } from '../../harness/installed.js';
import { production } from '../../harness/production.js';
import { project } from '../../harness/project.js';
import { assertReported, refusal } from '../../harness/refusal.js';
import { begin, post, rpc } from '../../harness/rpc.js';
import { middleware, module, route } from '../../harness/source.js';
import { tsc } from '../../harness/tsc.js';

const deprecated = (meta: string, handler = '() => 1', names = 'get') =>
  `${route(names, handler).replace(/;\n$/, '')}.meta({ deprecated: ${meta} });\n`;

const V2 = { 'api/v2/books/[id].get.ts': route('get', '({ params }) => params.id') };

const test = suite('deprecated routes');

test('sends the dates and the successor, and 410 after the sunset day', async () => {
  const app = await production({
    ...V2,
    'fwk.config.ts': module('defineConfig', 'export default defineConfig({ mcp: {} });'),
    'middlewares/1.guard.ts': `import { noteRequest } from 'fwkit/http';
${middleware(
  `(req, res, ctx, next) => {
    noteRequest(req, { user: req.header('x-user') });
    if (req.header('x-refused')) throw error(401, 'Log in first');
    return next();
  }`,
  'middleware, error',
)}`,
    'api/v1/books/[id].get.ts': deprecated(
      `{ since: '2026-01-01', sunset: '2099-12-31', use: '/api/v2/books/:id' }`,
      `(req, res) => { res.header('Link', '</next>; rel="next"'); return 1; }`,
    ),
    'api/v1/since.get.ts': deprecated(`{ since: '2026-01-01' }`),
    'api/v1/late.get.ts': deprecated(`{ since: '2025-01-01', sunset: '2025-06-30' }`),
    'api/v1/gone.get.ts': deprecated(
      `{ since: '2025-01-01', sunset: '2025-06-30', use: '/api/v1/since', gone: true }`,
      '() => { throw new Error("reached"); }',
    ),
    'api/v1/tool.get.ts': deprecated(
      `{ since: '2026-01-01', sunset: '2099-12-31', use: '/api/v1/since' }`,
      `{ tool: true, description: 'Counts books.' }, () => 1`,
    ),
  });
  const { headers } = await app.raw('/api/v1/books/a%2Fb');
  assert.is(headers.deprecation, '@1767225600');
  assert.is(headers.sunset, 'Thu, 31 Dec 2099 23:59:59 GMT');
  assert.is(headers.link, '</next>; rel="next", </api/v2/books/a%2Fb>; rel="successor-version"');
  const refused = await app.raw('/api/v1/books/1', { headers: { 'x-refused': '1' } });
  assert.equal([refused.status, refused.headers.deprecation], [401, '@1767225600']);
  const since = await app.raw('/api/v1/since');
  assert.equal([since.headers.sunset, since.headers.link], [undefined, undefined]);
  assert.is((await app.raw('/api/v1/late')).status, 200);
  const gone = await app.raw('/api/v1/gone');
  assert.is(gone.status, 410);
  assert.is(gone.headers['content-type'], 'application/problem+json');
  assert.is(gone.headers.sunset, 'Mon, 30 Jun 2025 23:59:59 GMT');
  assert.equal(gone.json, {
    status: 410,
    title: 'Gone',
    message: '/api/v1/gone was removed after 2025-06-30. Use /api/v1/since.',
  });
  assert.is((await app.raw('/api/v2/books/1')).headers.deprecation, undefined);

  // The log counts the calls of each client: the first, the tenth, the hundredth.
  const agent = { 'user-agent': 'billing/1.2 (linux)' };
  for (let n = 0; n < 10; n += 1) await app.raw('/api/v1/late', { headers: agent });
  await app.output.waitFor(/"client":"billing","calls":10,/);
  const lines = app.output.all.split('\n').filter((line) => line.includes('"client":"billing"'));
  assert.is(lines.length, 2);
  assert.match(lines[0] ?? '', '"msg":"GET /api/v1/late is deprecated: call 1 by billing"');
  await app.raw('/api/v1/late', { headers: { ...agent, 'x-user': 'ada' } });
  await app.output.waitFor(/"client":"ada","calls":1,/);
  // A client cannot create an unlimited number of names.
  for (let n = 0; n < 60; n += 1)
    await app.raw('/api/v1/since', { headers: { 'user-agent': `scanner${n}/1` } });
  await app.output.waitFor(/"client":"other","calls":1,/);
  assert.not.match(app.output.all, 'scanner59');

  const tools = await post(app.url, rpc('tools/list'), await begin(app.url));
  assert.match(
    tools.text,
    'Counts books. Deprecated since 2026-01-01, removed after 2099-12-31. Use /api/v1/since instead.',
  );
  const document = JSON.parse((await fwk(app.project, 'routes', '--openapi')).stdout);
  const { deprecated: isDeprecated, 'x-sunset': sunset } = document.paths['/api/v1/books/{id}'].get;
  assert.equal([isDeprecated, sunset], [true, '2099-12-31']);
  assert.is(document.paths['/api/v2/books/{id}'].get.deprecated, undefined);
  await app.stop();
});

const mistakes: Readonly<Record<string, string>> = {
  true: 'is true. Make it an object of options.',
  '{}': 'has since: undefined. Make it a day such as "2026-01-31".',
  '{ since: "2026-02-30" }': 'has since: "2026-02-30". Make it a day such as "2026-01-31".',
  '{ since: "2026-02-02", sunset: "2026-02-01" }':
    'has a sunset before since. Swap the two days, or correct one.',
  '{ since: "2026-02-02", gone: true }':
    'has gone: true without a sunset. Add the last day on which the route works.',
  '{ since: "2026-02-02", use: "/api/v2/book" }':
    'has use: "/api/v2/book", which is not the path of a route. Use a path that fwk routes lists.',
  '{ since: "2026-02-02", use: "/api/v2/books/:id" }':
    'has use: "/api/v2/books/:id", whose parameter "id" is missing in /api/wrong. Use a path with the same parameters.',
  '{ since: "2026-02-02", until: "2026-03-02" }':
    'has "until", which is not an option (since, sunset, use, gone).',
};

test('rejects incorrect dates and successors', async () => {
  for (const [meta, sentence] of Object.entries(mistakes)) {
    const made = project({ ...V2, 'api/wrong.get.ts': deprecated(meta) });
    const stderr = await refusal(made, 'routes');
    assertReported(stderr, made, 'api/wrong.get.ts', `has .meta({ deprecated }), which ${sentence}`);
  }
});

/** The diagnostics of an editor for a file: the compiler reports deprecated names only to editors. */
async function editorDiagnostics(root: string, file: string, text: string): Promise<string> {
  const { child, output } = launch(bin('tsc'), ['--lsp', '--stdio'], root, 'pipe');
  const uri = `file://${file}`;
  const send = (message: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    child.stdin?.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  // The server waits for answers to its own requests.
  child.stdout?.on('data', (chunk) => {
    for (const [, id] of String(chunk).matchAll(/"id":"(ts\d+)","method"/g)) send({ id, result: null });
  });
  const capabilities = { textDocument: { diagnostic: {} } };
  send({ id: 1, method: 'initialize', params: { processId: null, rootUri: `file://${root}`, capabilities } });
  await output.waitFor(/"id":1,"result"/);
  send({ method: 'initialized', params: {} });
  const textDocument = { uri, languageId: 'typescript', version: 1, text };
  send({ method: 'textDocument/didOpen', params: { textDocument } });
  send({ id: 'found', method: 'textDocument/diagnostic', params: { textDocument: { uri } } });
  const [found] = await output.waitFor(/"id":"found".*?\]\}\}/);
  child.kill('SIGKILL');
  return found;
}

test('editors strike calls through, also with the types for a frontend', async () => {
  const made = project({
    'api/old.get.ts': deprecated(`{ since: '2026-01-31' }`, '() => ({ a: 1 })').replace(
      /;\n$/,
      '.meta({ timeout: 1_000 });\n',
    ),
    'api/old.post.ts': route('post', '() => ({ b: 1 })'),
    'api/any.ts': `import { put, type RouteMeta } from 'fwkit';
const META: RouteMeta = {};
export default put(() => ({ c: 1 })).meta(META);
`,
    'lib/calls.ts': `import { createClient, data } from 'fwkit/client';
import type { Paths } from '../front.js';
const api = createClient('https://shop.example');
export const a: number = (await data(api('/api/old').get())).a;
export const b: number = (await data(api('/api/old').post())).b;
export const c: number = (await data(api('/api/any').put())).c;
const front = createClient<Paths>('https://shop.example');
export const d: number = (await data(front('/api/old').get())).a;
export const e: Response = await front.raw('/api/old').get();
`,
  });
  assert.is((await fwk(made, 'types', '--client', `${made.root}/src/front.ts`)).status, 0);
  assert.equal(await tsc(made, undefined, { lib: ['es2023', 'dom'] }), []);
  const text = made.read('lib/calls.ts');
  const found = await editorDiagnostics(made.root, made.path('lib/calls.ts'), text);
  const lines = [
    ...found.matchAll(/"start":\{"line":(\d+)[^}]*\}[^{]*\{[^}]*\}\},"severity":4,"code":6385/g),
  ];
  assert.equal(
    lines.map(([, line]) => Number(line)),
    [3, 7, 8],
    found,
  );
});

test.run();
