import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { browser, hasBrowser } from '../../harness/browser.js';
import { atExit } from '../../harness/cleanup.js';
import { type Ended, ended, start } from '../../harness/fwk.js';
import { listening } from '../../harness/http.js';
import { nodes } from '../../harness/nodes.js';
import { Output } from '../../harness/output.js';
import { packageAs, tarball } from '../../harness/packages.js';

const test = suite('npm create fwkit');

const patience = 150_000;

/** The folder that they are made in. */
const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'fwk-create-')));
atExit(() => rmSync(base, { recursive: true, force: true, maxRetries: 3 }));
const source = await registry(['create-fwkit', 'fwkit', '@fwkit/build']);
atExit(() => source.close());

const settings = {
  npm_config_registry: source.url,
  npm_config_cache: path.join(base, 'cache'),
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  npm_config_yes: 'true',
};

function begin(cwd: string, command: string, env: Readonly<Record<string, string>> = {}) {
  const pairs = Object.entries({ ...settings, ...env }).map(([key, value]) => `${key}=${value}`);
  return start('/usr/bin/env', [...pairs, 'sh', '-c', command], cwd);
}

async function run(cwd: string, command: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const child = begin(cwd, command, env);
  const result = await ended(child, command, undefined, patience);
  assert.is(result.status, 0, `${command}\n${result.stdout}${result.stderr}`);
  return result;
}

/** The folders that `npm create fwkit …` made; npm's cache serves the second run. */
const made = new Map<string, Promise<string>>();
function created(layout: 'ts' | 'js'): Promise<string> {
  const known = made.get(layout);
  if (known) return known;
  // Without two dashes, which people forget.
  const flags = layout === 'js' ? ' --js' : '';
  const making = run(base, `npm create fwkit ${layout}-app${flags}`).then(() =>
    path.join(base, `${layout}-app`),
  );
  made.set(layout, making);
  return making;
}

test('one command creates a project whose page opens in a browser', async () => {
  const root = await created('ts');
  const child = begin(root, 'exec node_modules/.bin/fwk dev --port 0');
  const output = new Output(child);
  const end = ended(child, 'fwk dev', output);
  const chromium = hasBrowser ? await browser() : undefined;
  try {
    const [, url = ''] = await output.waitFor(/(http:\/\/\S+:\d+)\/$/m);
    assert.is((await fetch(`${url}/`)).status, 200);
    const page = await chromium?.newPage();
    if (!page) return;
    await page.goto(`${url}/`);
    assert.is(await page.textContent('h1'), 'It works');
    assert.is(await page.evaluate('getComputedStyle(document.body).maxWidth'), '640px');
    await page.click('a');
    assert.match((await page.textContent('body')) ?? '', 'Hello, you!');
  } finally {
    await chromium?.close();
    child.kill('SIGTERM');
    await end;
  }
});

for (const layout of ['ts', 'js'] as const)
  test(`${layout}: the tests and the check of the new project pass on every Node`, async () => {
    const root = await created(layout);
    const all = [...nodes()];
    // Layouts and versions of Node are independent of each other.
    const tried = layout === 'ts' ? all : [all[0] ?? [], all.at(-1) ?? []];
    for (const [name = '', node = ''] of tried) {
      const PATH = `${path.dirname(node)}:${process.env.PATH}`;
      const version = await run(root, 'node --version', { PATH });
      assert.match(version.stdout, `v${name.replace('Node ', '')}.`);
      assert.match((await run(root, 'npm test', { PATH })).stdout, /^(?:# |ℹ )pass 2$/m);
      if (layout === 'ts') await run(root, 'npm run check', { PATH });
    }
  });

test('the check uses the TypeScript of the project and finds mistakes', async () => {
  const root = await created('ts');
  const file = path.join(root, 'src/services/greeter.ts');
  const text = readFileSync(file, 'utf8');
  const wrong = async () => {
    writeFileSync(file, text.replace('name: string', 'name: number'));
    const child = begin(root, 'npm run check');
    const { status, stdout } = await ended(child, 'npm run check', undefined, patience);
    writeFileSync(file, text);
    assert.is.not(status, 0);
    assert.match(stdout, /hello\/\[name\]\.get\.ts.*TS2345/s);
  };
  await wrong();
  await run(root, 'npm install --save-dev typescript@~5.9.0');
  assert.match((await run(root, 'npx tsc --version')).stdout, 'Version 5.9.');
  await run(root, 'npm run check');
  await run(root, 'npm test');
  await wrong();
});

test('pnpm creates the project and runs its scripts', async () => {
  const bin = path.join(packageAs('pnpm', 'npm:pnpm@^10'), 'node_modules/.bin');
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    npm_config_store_dir: path.join(base, 'store'),
    npm_config_cache_dir: path.join(base, 'pnpm'),
  };
  const { stdout } = await run(base, 'pnpm create fwkit pnpm-app', env);
  assert.match(stdout, /\n {2}pnpm run dev /);
  const root = path.join(base, 'pnpm-app');
  await run(root, 'pnpm check', env);
  await run(root, 'pnpm test', env);
});

test.after(() => source.close());

test.run();

/** A registry with the packages of this repository; it forwards other requests to the real one. */
interface Registry {
  readonly url: string;
  close(): void;
}

async function registry(names: readonly string[]): Promise<Registry> {
  const behind = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' })
    .trim()
    .replace(/\/$/, '');
  const files = new Map<string, Buffer>();
  const documents = new Map<string, object>();
  const server = createServer((req, res) => void answer(req, res).catch(() => res.destroy()));
  const url = await listening(server);
  for (const name of names) publish(name);
  return {
    url,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };

  function publish(name: string): void {
    const bytes = readFileSync(tarball(name));
    const text = execFileSync('tar', ['-xzO', 'package/package.json'], { input: bytes, encoding: 'utf8' });
    const manifest = JSON.parse(text) as { version: string };
    const path = `/${name}/-/package.tgz`;
    files.set(path, bytes);
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    const { version } = manifest;
    documents.set(`/${name}`, {
      name,
      'dist-tags': { latest: version },
      versions: { [version]: { ...manifest, dist: { tarball: url + path, integrity } } },
    });
  }

  async function answer({ url: target = '', headers }: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = decodeURIComponent(target);
    const file = files.get(path);
    const document = documents.get(path);
    if (file) return void res.end(file);
    if (document) return void res.setHeader('content-type', 'application/json').end(JSON.stringify(document));
    const response = await fetch(behind + target, { headers: { accept: headers.accept ?? '*/*' } });
    res.statusCode = response.status;
    for (const name of ['content-type', 'cache-control', 'etag']) {
      const value = response.headers.get(name);
      if (value !== null) res.setHeader(name, value);
    }
    if (response.body) Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]).pipe(res);
    else res.end();
  }
}
