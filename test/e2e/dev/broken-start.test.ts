import { mkdirSync, rmdirSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk, launch } from '../../harness/fwk.js';
import { type Connection, connect, request } from '../../harness/http.js';
import { bin } from '../../harness/installed.js';
import type { Output } from '../../harness/output.js';
import { type Files, type Project, project } from '../../harness/project.js';
import { handshake } from '../../harness/socket.js';
import { configFile, route, service, textRoute } from '../../harness/source.js';

const fine: Files = { 'api/x.ts': textRoute('x') };

interface Case {
  readonly files: Files;
  readonly messages: readonly RegExp[];
  /** A mistake that files cannot express, and its fix. */
  breaks?(made: Project): void;
  mends(made: Project): void;
}

const cases: Readonly<Record<string, Case>> = {
  'two modules': {
    files: { ...fine, 'api/a.ts': 'export default get(', 'api/b.ts': 'export {};' },
    messages: [
      /^2 problems in /m,
      /src\/api\/a\.ts:1: does not parse/,
      /src\/api\/b\.ts: has no default export/,
    ],
    mends: (made) => {
      made.write('api/a.ts', textRoute('a'));
      made.write('api/b.ts', textRoute('b'));
    },
  },
  'a service that fails to start': {
    files: {
      ...fine,
      'services/job.ts': service(
        `(ctx, { onStart }) => { onStart(() => { throw new Error('no job'); }); return 1; }`,
      ),
    },
    messages: [/src\/services\/job\.ts:2: .*no job/],
    mends: (made) => made.remove('services/job.ts'),
  },
  'a config that does not parse': {
    files: { ...fine, 'fwk.config.ts': 'export default {' },
    messages: [/src\/fwk\.config\.ts:1: does not parse/],
    mends: (made) => made.write('fwk.config.ts', configFile('{}')),
  },
  'a tsconfig.json that extends itself': {
    files: { ...fine, 'tsconfig.json': '{ "extends": "./tsconfig.json" }' },
    messages: [/tsconfig\.json: .*extends itself/],
    mends: (made) => made.write('tsconfig.json', '{ "include": [".fwk/**/*"] }'),
  },
  'an .env that cannot be read': {
    files: fine,
    messages: [/\.env: cannot be read: EISDIR/],
    breaks: ({ root }) => mkdirSync(`${root}/.env`),
    mends: (made) => {
      rmdirSync(`${made.root}/.env`);
      made.write('.env', 'A=1\n');
    },
  },
  'an import of a missing file of the project': {
    files: { 'api/x.ts': `import { x } from '../lib/x.js';\n${route('get', '() => x')}` },
    messages: [/src\/api\/x\.ts:1: .*Cannot find module '\.\.\/lib\/x\.js'/],
    mends: (made) => made.write('lib/x.ts', `export const x = 'x';`),
  },
};

interface Started {
  readonly made: Project;
  readonly output: Output;
  readonly url: string;
}

async function started(
  { files, breaks }: Omit<Case, 'mends' | 'messages'>,
  act: (started: Started) => Promise<void>,
): Promise<void> {
  const made = project(files);
  breaks?.(made);
  const { child, output, stop } = launch(bin('fwk'), ['dev', '--port', '0'], made.root);
  try {
    const [, url = ''] = await output.waitFor(/(http:\/\/\S+:\d+)\/$/m);
    await act({ made, output, url });
  } catch (failure) {
    child.kill('SIGKILL');
    throw failure;
  }
  await stop();
}

const test = suite('a broken start');

for (const [name, broken] of Object.entries(cases))
  test(`${name}: reported, served as a page, and fixed`, () =>
    started(broken, async ({ made, output, url }) => {
      for (const sentence of broken.messages) await output.waitFor(sentence);
      await output.waitFor(/fwk dev waits for edits/);
      assert.not.match(output.all, /^\s+at |node:internal|\[object /m);
      const page = await request(url, '/api/x', { headers: { accept: 'text/html' } });
      assert.is(page.status, 500);
      assert.match(page.text, '<script');
      const text = await request(url, '/api/x', { headers: { accept: '*/*' } });
      for (const sentence of broken.messages.filter((one) => !one.source.startsWith('^'))) {
        assert.match(text.text, sentence);
        assert.match(page.text.replaceAll('&#39;', "'").replaceAll('&quot;', '"'), sentence);
      }
      const from = output.mark();
      broken.mends(made);
      await output.waitFor(/reloaded /, from);
      const { status, json } = await request(url, '/api/x');
      assert.equal([status, json], [200, 'x']);
    }));

test('a different mistake is reported, and so is a remaining one', () =>
  started(
    { files: { 'api/a.ts': 'export default get(', 'api/b.ts': 'export {};' } },
    async ({ made, output, url }) => {
      await output.waitFor(/^2 problems in [\s\S]*waits for edits/m);
      const from = output.mark();
      made.write('api/a.ts', textRoute('a'));
      await output.waitFor(/^1 problem in [\s\S]*src\/api\/b\.ts[\s\S]*waits for edits/m, from);
      const { errors } = (await request(url, '/')).json as { errors: Record<string, string>[] };
      assert.is(errors.length, 1);
      assert.match(String(errors[0]?.message), 'src/api/b.ts: has no default export');
      assert.is(errors[0]?.code, 'FWK104');
    },
  ));

test('an open page reloads after the fix; unknown hosts and handshakes are rejected meanwhile', () =>
  started({ files: { 'api/a.ts': 'export default get(' } }, async ({ made, url }) => {
    const strange = await request(url, '/', { headers: { host: 'evil.example' } });
    assert.is(strange.status, 403);
    assert.not.match(strange.text, 'api/a');
    assert.is((await handshake(url, '/ws/any')).status, 500);
    const page = await request(url, '/api/a', { headers: { accept: 'text/html' } });
    const [, version = ''] = /data-version="([^"]+)"/.exec(page.text) ?? [];
    const open: Connection = await connect(url);
    open.send(`GET /.fwk/dev?${version} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await open.read(/retry: /);
    made.write('api/a.ts', textRoute('a'));
    assert.match(await open.rest(), 'data: reload');
    assert.is((await request(url, '/api/a')).json, 'a');
  }));

test('a source directory that is created later is found, and a used port ends the command', () =>
  started({ files: {} }, async ({ made, output, url }) => {
    assert.is((await request(url, '/api/x')).status, 404);
    const from = output.mark();
    made.write('api/x.ts', textRoute('x'));
    await output.waitFor(/\+ GET \/api\/x/, from);
    assert.is((await request(url, '/api/x')).json, 'x');
    made.write('api/y.ts', textRoute('y'));
    await output.waitFor(/\+ GET \/api\/y/, from);
    const other = project({ 'api/a.ts': 'export default get(' });
    const { status, stderr } = await fwk(other, 'dev', '--port', new URL(url).port);
    assert.is(status, 1);
    assert.match(stderr, /^FWK208 Port \d+ is already in use on localhost\./);
  }));

test('a start that hangs continues with the next edit after it was reported', () => {
  const files = {
    ...fine,
    'lib/hangs.ts': 'await new Promise(() => {});',
    'api/y.ts': `import '../lib/hangs.js';\n${textRoute('y')}`,
  };
  const made = project(files);
  const { output, stop } = launch(bin('fwk'), ['dev', '--port', '0'], made.root);
  return (async () => {
    await output.waitFor(/src\/lib\/hangs\.ts: waits in a top-level await for more than/);
    made.write('lib/hangs.ts', '');
    const [, url = ''] = await output.waitFor(/(http:\/\/\S+:\d+)\/$/m);
    assert.is((await request(url, '/api/y')).json, 'y');
    await stop();
  })();
});

test.run();
