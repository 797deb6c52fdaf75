// Takes the pictures in README.md: the dev page and the error page of `fwk dev`, while it serves the bookshop.
// Run it with `npm run pictures`. It needs Chromium: set CHROMIUM if that is not at /usr/bin/chromium.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const pictures = fileURLToPath(new URL('.', import.meta.url));
/** Both pictures have this width and height in pixels. README.md shows them side by side. */
const PICTURE = { width: 1200, height: 768 };
const MAX_BYTES = 150 * 1024;

// This script breaks a route, so it works on a copy. The copy is inside the repository, where Node finds the packages.
const copy = join(repository, 'dist/pictures/bookshop');
rmSync(copy, { recursive: true, force: true });
mkdirSync(copy, { recursive: true });
cpSync(join(repository, 'examples/bookshop'), copy, {
  recursive: true,
  filter: (path) => !/bookshop[/\\](?:node_modules|dist|test|\.fwk|.*\.db.*)$/.test(path),
});

const server = spawn(process.execPath, [join(repository, 'cli/fwk.js'), 'dev', '--port', '0'], {
  cwd: copy,
  env: { ...process.env, NO_COLOR: '1', DATABASE: 'bookshop.db' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
});
try {
  const url = await addressOf(server);
  await takeDevPage(await openPage(1000), url);
  await takeErrorPage(await openPage(920), url);
} finally {
  await browser.close();
  server.kill();
  await once(server, 'exit');
  rmSync(copy, { recursive: true, force: true });
}

async function takeDevPage(page, url) {
  const json = (method, path, body, cookie = '') =>
    fetch(url + path, {
      method,
      redirect: 'manual',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
    });
  await fetch(`${url}/`);
  await fetch(`${url}/api/v1/books?search=eliot`);
  await fetch(`${url}/api/v1/books/featured`);
  await fetch(`${url}/books/middlemarch`);
  await fetch(`${url}/api/v1/books/99`);
  await fetch(`${url}/api/v1/admin/stats`);
  const ada = { email: 'ada@example.com', password: 'analytical engine' };
  const login = await json('POST', '/api/v1/login', ada);
  const cookie = login.headers
    .getSetCookie()
    .map((one) => one.split(';', 1)[0])
    .join('; ');
  await json('POST', '/api/v1/books/3/reviews', { rating: 9 }, cookie);
  await json('POST', '/api/v1/books/3/reviews', { rating: 5, text: 'Everyone in it meant well.' }, cookie);
  await json('PATCH', '/api/v1/admin/books/4', { cents: 790 }, cookie);

  await page.goto(`${url}/_fwk`);
  await page.getByText('live', { exact: true }).waitFor();
  await page.getByRole('link', { name: /^200 PATCH \/api\/v1\/admin\/books\/4/ }).click();
  await page.getByRole('row', { name: /^handler/ }).waitFor();
  await save(page, 'dev-page.png');
}

async function takeErrorPage(page, url) {
  const route = join(copy, 'src/web/books/[slug].get.ts');
  const source = readFileSync(route, 'utf8');
  const broken = source.replace('  if (!book) return null;\n', '');
  if (broken === source) throw new Error(`${route} has changed: break it in another way.`);
  writeFileSync(route, broken);
  await page.goto(`${url}/books/emma`);
  await page.getByRole('heading', { name: /^TypeError/ }).waitFor();
  // Show the paths of an installed fwkit instead of the paths of this clone.
  await page.getByText(repository).evaluateAll((frames, folder) => {
    for (const frame of frames) frame.textContent = frame.textContent.replace(folder, 'node_modules/fwkit/');
  }, repository);
  await save(page, 'error-page.png');
}

/** Opens a page whose layout is `width` CSS pixels wide. The pixel ratio makes its picture as wide as every other. */
function openPage(width) {
  const deviceScaleFactor = PICTURE.width / width;
  const viewport = { width, height: Math.round(PICTURE.height / deviceScaleFactor) };
  return browser.newPage({ viewport, deviceScaleFactor, colorScheme: 'light' });
}

async function save(page, name) {
  const path = join(pictures, name);
  await page.screenshot({ path });
  const { size } = statSync(path);
  if (size > MAX_BYTES) throw new Error(`docs/pictures/${name} is ${size} bytes. The limit is ${MAX_BYTES}.`);
  console.log(`docs/pictures/${name}: ${size} bytes`);
}

/** The address that `fwk dev` prints when it serves. */
async function addressOf({ stdout }) {
  for await (const line of createInterface(stdout)) {
    const [address] = /http:\/\/\S+:\d+(?=\/$)/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error('fwk dev ended before it served the bookshop.');
}
