import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nodes } from '../../harness/nodes.js';
import { type Files, project } from '../../harness/project.js';
import { build, MAIN, production, TSCONFIG } from '../../harness/settings.js';
import { middleware, module, route } from '../../harness/source.js';

const where = `import { where } from '../lib/tracer.js';\n`;

const handlers: Files = {
  'api/sync.get.ts': where + route('get', '() => where()'),
  'api/late.get.ts': where + route('get', 'async () => { await null; return where(); }'),
  'api/body.post.ts': where + route('post', 'async ({ body }) => { await null; return where(); }'),
  'api/form.post.ts': where + route('post', '() => where()'),
  'api/stream.post.ts':
    where +
    module(
      'post',
      `export default post(async ({ body }) => {
    const told = [where()];
    for await (const chunk of body as any) told.push(where());
    return [...new Set(told)];
  }).meta({ body: 'stream' });`,
    ),
  'api/generator.get.ts':
    where +
    route(`async function* generator() {
    for (let index = 0; index < 3; index++) { yield where() + '|'; await new Promise((wake) => setTimeout(wake, 1)); }
    yield 'x'.repeat(5_000_000) + '|';
    yield where();
  }`),
};

/** The same below a middleware: bodies are read in another way there. */
const layered = Object.fromEntries(
  Object.entries(handlers).map(([file, text]) => [
    file.replace('api/', 'api/layered/'),
    text.replace('../lib', '../../lib'),
  ]),
);

const files: Files = {
  ...handlers,
  'tsconfig.json': TSCONFIG,
  // As instrumentations do it: around the server's event, before anything of the app.
  'lib/tracer.ts': `import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { Server } from 'node:http';
const storage = new AsyncLocalStorage<string>();
const { emit } = Server.prototype as any;
export const requests: string[] = [];
(Server.prototype as any).emit = function (this: unknown, event: string, ...args: any[]) {
  if (event !== 'request') return emit.call(this, event, ...args);
  requests.push('emit ' + args[0].url);
  return storage.run(args[0].url, () => emit.call(this, event, ...args));
};
subscribe('http.server.request.start', ({ request }: any) => void requests.push('channel ' + request.url));
export const where = () => storage.getStore() ?? 'nowhere';
`,
  'main.ts': `import './lib/tracer.js';\n${MAIN}`,
  'api/layered/_middleware.ts': `${where.replace('../', '../../')}${middleware(
    `(req, res, ctx, next) => {
       if (req.query.head !== undefined) res.beforeHead(async () => { await null; res.header('x-head', where()); });
       return next();
     }`,
  )}`,
  ...layered,
  'api/seen.get.ts': `import { requests } from '../lib/tracer.js';\n${route('get', '() => requests')}`,
};

for (const [name, node] of nodes()) {
  const test = suite<{ url: string; stop(): Promise<void> }>(name);

  test.before(async (context) => {
    const made = project(files);
    await build(made);
    const { url, child, end } = await production(made, 'dist/main.js', node);
    context.url = url;
    context.stop = async () => {
      child.kill('SIGTERM');
      await end;
    };
  });
  test.after((context) => context.stop?.());

  test('handlers run in the asynchronous context of their request', async ({ url }) => {
    // The direct ways begin after some requests; both ways are tried.
    for (let round = 0; round < 4; round++)
      for (const below of ['/api', '/api/layered']) {
        const ask = async (path: string, init?: RequestInit) => (await fetch(url + path, init)).json();
        const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' };
        assert.is(await ask(`${below}/sync`), `${below}/sync`);
        assert.is(await ask(`${below}/late`), `${below}/late`);
        assert.is(await ask(`${below}/body`, post), `${below}/body`);
        const form = new FormData();
        form.append('a', new File(['some'], 'a'));
        assert.is(await ask(`${below}/form`, { method: 'POST', body: form }), `${below}/form`);
        assert.equal(await ask(`${below}/stream`, post), [`${below}/stream`]);
        const lines = (await (await fetch(`${url}${below}/generator`)).text()).split('|');
        assert.equal([...new Set(lines.filter((line) => !line.startsWith('x')))], [`${below}/generator`]);
      }
    const head = await fetch(`${url}/api/layered/late?head`);
    assert.is(head.headers.get('x-head'), '/api/layered/late?head');
  });

  test('traces no request that no client sent', async ({ url }) => {
    const seen = (await (await fetch(`${url}/api/seen`)).json()) as string[];
    assert.ok(seen.length > 0);
    assert.equal(
      seen.filter((one) => !/^(emit|channel) \/api\/(layered\/)?\w+(\?head)?$/.test(one)),
      [],
    );
  });

  test.run();
}
