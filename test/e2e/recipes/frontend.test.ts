import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { browser, hasBrowser } from '../../harness/browser.js';
import { blocksOf } from '../../harness/documents.js';
import { dev, ended, fwk, spawnDev, start } from '../../harness/fwk.js';
import { bin } from '../../harness/installed.js';
import { Output } from '../../harness/output.js';
import type { Project } from '../../harness/project.js';
import { recipe } from '../../harness/recipe.js';
import { production } from '../../harness/settings.js';
import { connectSocket } from '../../harness/socket.js';

// docs/recipes/frontend.md: the app serves Vite's build, and Vite's dev server proxies requests to the app.

const test = suite('the recipe of a front end');

const ECHO = `import { ws } from 'fwkit';
export default ws(({ onMessage, send }) => { onMessage((text) => { send(text); }); });
`;

async function make(): Promise<Project> {
  const app = await recipe('frontend', { 'ws/echo.ts': ECHO });
  const settings = blocksOf('docs/recipes/frontend.md').find(({ language }) => language === 'json');
  app.write('frontend/tsconfig.json', settings?.text ?? '');
  const types = await fwk(app, 'types', '--client', 'frontend/paths.ts');
  assert.is(types.status, 0, types.stderr);
  return app;
}

let made: Promise<Project> | undefined;
/** One for both tests: its sources do not change. */
const project = (): Promise<Project> => (made ??= make());

const vite = (app: Project, variables: readonly string[], ...args: string[]) =>
  start(
    '/usr/bin/env',
    [...variables, process.execPath, path.join(app.root, 'node_modules/vite/bin/vite.js'), ...args],
    app.root,
  );

test('vite build, served by the app: the page, its files and its client-side paths', async () => {
  const app = await project();
  const checked = await ended(start(bin('tsc'), ['-p', 'frontend'], app.root), 'tsc -p frontend');
  assert.is(checked.status, 0, checked.stdout);
  const built = await ended(vite(app, [], 'build'), 'vite build');
  assert.is(built.status, 0, built.stdout + built.stderr);

  const served = await production(app);
  const ask = async (at: string) => {
    const response = await fetch(served.url + at);
    const { status, headers } = response;
    const [type = ''] = (headers.get('content-type') ?? '').split(';');
    return { status, type, cached: headers.get('cache-control') ?? '', text: await response.text() };
  };
  try {
    const page = await ask('/');
    const [script = ''] = /\/assets\/[\w-]+\.js/.exec(page.text) ?? [];
    assert.is.not(script, '', page.text);
    const asset = await ask(script);
    assert.equal([asset.status, asset.type], [200, 'application/javascript']);
    assert.match(asset.cached, 'max-age=31536000');
    const gone = await ask('/assets/gone.js');
    assert.is(gone.status, 404);
    assert.not.match(gone.cached, 'max-age=31536000');
    assert.equal([(await ask('/books/7')).text, (await ask('/')).type], [page.text, 'text/html']);
    assert.is((await ask('/no.txt')).status, 404);
    assert.equal(
      [(await ask('/api/none')).status, (await ask('/api/none')).type],
      [404, 'application/problem+json'],
    );
    if (hasBrowser) await shows(served.url, '/books/7');
  } finally {
    await served.stop();
  }
});

/** Both books are shown, and neither the Content-Security-Policy nor the network refuses anything. */
async function shows(url: string, at = '/'): Promise<void> {
  const chrome = await browser();
  try {
    const page = await chrome.newPage();
    const wrong: string[] = [];
    page.on('console', (line) => line.type() === 'error' && wrong.push(line.text()));
    page.on('pageerror', (thrown) => wrong.push(String(thrown)));
    // The project has no icon.
    await page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }));
    await page.goto(url + at);
    await page.locator('#books li').nth(1).waitFor();
    assert.equal(await page.locator('#books li').allTextContents(), ['Emma', 'Ulysses']);
    assert.equal(wrong, []);
  } finally {
    await chrome.close();
  }
}

test('fwk dev beside vite: one origin for calls and sockets', async () => {
  const app = await project();
  const server = await dev(app);
  const front = vite(app, [`FWK_URL=${server.url}`], '--port', '0', '--host', '127.0.0.1');
  try {
    const output = new Output(front);
    const end = ended(front, 'vite', output);
    const [, url = ''] = await output.waitFor(/(http:\/\/127\.0\.0\.1:\d+)\//);
    assert.equal(await (await fetch(`${url}/api/books`)).json(), [{ title: 'Emma' }, { title: 'Ulysses' }]);
    if (hasBrowser) {
      const chrome = await browser();
      try {
        const page = await chrome.newPage();
        await page.goto(url);
        await page.locator('#books li').nth(1).waitFor();
        const received = await page.evaluate(`new Promise((resolve, reject) => {
          const socket = new WebSocket(location.origin.replace('http', 'ws') + '/ws/echo');
          socket.onopen = () => socket.send('hello');
          socket.onmessage = ({ data }) => resolve(data);
          socket.onclose = () => reject(new Error('refused'));
        })`);
        assert.is(received, 'hello');
      } finally {
        await chrome.close();
      }
    }
    front.kill('SIGTERM');
    await end;
  } finally {
    front.kill('SIGKILL');
    await server.stop();
  }
});

test('fwk dev with vite inside: pages, modules, hot updates and calls on one port', async () => {
  const app = await project();
  app.write(
    'fwk.config.ts',
    "import { vite } from './lib/vite.js';\nexport default { securityHeaders: true, plugins: [vite()] };\n",
  );
  const server = await spawnDev(app);
  try {
    const ask = async (at: string, accept = '*/*') =>
      (await server.fetch(at, { headers: { accept } })).text();
    assert.match(await ask('/', 'text/html'), '/@vite/client');
    assert.match(await ask('/books/7', 'text/html'), '<h1>Books</h1>');
    const script = await ask('/main.ts');
    assert.match(script, '/node_modules/');
    assert.not.match(script, 'Paths');
    assert.match(await ask('/api/books'), '"Ulysses"');
    assert.is((await server.fetch('/api/none')).status, 404);

    const token = /const wsToken = "([^"]+)"/.exec(await ask('/@vite/client'))?.[1];
    const updates = await connectSocket(server.url, `/?token=${token}`, {}, ['vite-hmr']);
    assert.match(String(await updates.next()), 'connected');
    await ask('/main.ts');
    app.write('frontend/main.ts', `${app.read('frontend/main.ts')}// A change.\n`);
    assert.match(String(await updates.next()), 'full-reload');
    updates.close();
    const echo = await connectSocket(server.url, '/ws/echo');
    assert.is(await echo.send('hello').next(), 'hello');
    echo.close();
    if (hasBrowser) await shows(server.url);
    const from = server.output.mark();
    app.write('api/books.get.ts', "import { get } from 'fwkit';\nexport default get(() => []);\n");
    await server.waitFor(/reloaded/, from);
    assert.is(await ask('/api/books'), '[]');
    assert.match(await ask('/', 'text/html'), '/@vite/client');
  } finally {
    await server.stop();
  }
});

test.run();
