import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { browser, hasBrowser } from '../harness/browser.js';
import { blocksOf, codeOf } from '../harness/documents.js';
import { dev, ended, launch, start } from '../harness/fwk.js';
import { bin, installed, repo } from '../harness/installed.js';
import { post, rpc } from '../harness/rpc.js';

// docs/tutorial.md from its text: the project that npm create fwkit makes, then each file in the order of the page.

const PAGE = 'docs/tutorial.md';

const test = suite('tutorial');

/** The smallest picture that a browser shows. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const blocks = blocksOf(PAGE).flatMap(({ file, text }) => (file === undefined ? [] : [{ file, text }]));

/** Runs a shell command in the project, with node_modules/.bin in PATH; rejects unless the status is 0. */
async function sh(root: string, command: string): Promise<string> {
  const PATH = `${path.join(installed(), 'node_modules/.bin')}:${process.env.PATH}`;
  const { status, stdout, stderr } = await ended(
    start('/usr/bin/env', [`PATH=${PATH}`, 'sh', '-c', command], root),
    command,
    undefined,
    120_000,
  );
  if (status !== 0) throw new Error(`${command} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

/** Files that are served after each save. */
const SERVED = /^src\/(?:(?:api|web|ws|mcp|di|services|middlewares)\/|fwk\.config)/;

/** The project of the first test, which the second one starts. */
let made = '';

/** An empty folder in which the first command of the page is run. */
async function created(): Promise<string> {
  assert.match(codeOf(PAGE)[0] ?? '', /^npm create fwkit@latest album && cd album && npm install zod$/m);
  const parent = path.join(installed(), 'projects');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(path.join(parent, 'tutorial-'));
  await sh(folder, `${bin('create-fwkit')} album --no-install`);
  const root = path.join(folder, 'album');
  mkdirSync(path.join(root, 'node_modules'));
  symlinkSync(path.join(repo, 'node_modules/zod'), path.join(root, 'node_modules/zod'));
  return root;
}

const write = (root: string, file: string, text: string) => {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
};

/** The scripts of package.json, without npm. */
const script = (root: string, name: string): string =>
  JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).scripts[name];

test('the page, file by file, while fwk dev runs; then its tests and types', async () => {
  made = await created();
  const root = made;
  const server = await dev({ root });
  try {
    for (const { file, text } of blocks) {
      const from = server.output.mark();
      write(root, file, text);
      if (SERVED.test(file)) await server.waitFor(/reloaded .*/, from);
    }
    const { url } = server;
    assert.equal(await (await server.fetch('/api/pictures')).json(), []);
    assert.not.match(server.output.all, /Error|cannot|failed/);
    if (hasBrowser) await driven(url);
  } finally {
    await server.stop();
  }
  assert.is((await sh(root, script(root, 'check'))).includes('error'), false);
  assert.match(await sh(root, script(root, 'test')), /# fail 0/);
});

test('two workers serve the build', async () => {
  const root = made;
  const command = /^PORT=8080 npm start$/m.exec(codeOf(PAGE).join('\n'));
  assert.ok(command);
  const secret = `SESSION_SECRET=${'s'.repeat(64)}`;
  const [program = '', ...args] = script(root, 'start').split(' ');
  const { output, stop } = launch('/usr/bin/env', [secret, 'PORT=0', program, ...args], root);
  try {
    const [, port = ''] = await output.waitFor(/listening on \S+:(\d+)\//i);
    const url = `http://localhost:${port}`;
    if (hasBrowser) await driven(url);
    const answer = await post(
      url,
      rpc('tools/call', { name: 'picturesSearch', arguments: { word: 'HARB' } }),
    );
    assert.match(answer.text, hasBrowser ? 'Harbour' : 'pictures');
    const pids = new Set([...output.all.matchAll(/"pid":(\d+)/g)].map(([, pid]) => pid));
    assert.ok(pids.size >= 2, output.all);
  } finally {
    await stop();
  }
});

/** The steps of the page: log in, look at two windows, add a picture in one. */
async function driven(url: string): Promise<void> {
  const chromium = await browser();
  try {
    const [ada, other] = await Promise.all([visitor(), visitor()]);
    const loud: string[] = [];
    for (const page of [ada, other]) page.on('console', (line) => loud.push(line.text()));
    await Promise.all([ada.goto(url), other.goto(url)]);
    await ada.getByLabel('Name').fill('ada');
    await ada.getByLabel('Password').fill('difference');
    await ada.getByRole('button', { name: 'Log in' }).click();
    await ada.getByRole('button', { name: 'Log out ada' }).waitFor();
    await ada.getByLabel('Title').fill('Harbour');
    await ada.getByLabel('Picture').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: PNG });
    const before = await other.locator('figure').count();
    await ada.getByRole('button', { name: 'Add' }).click();
    await other.locator('figure').nth(before).waitFor();
    for (const page of [ada, other]) {
      assert.is(await page.locator('figcaption').first().textContent(), 'Harbour, by ada');
      const image = page.locator('img').first();
      await image.evaluate((one: unknown) => (one as { decode(): Promise<void> }).decode());
    }
    await ada.getByRole('button', { name: 'Log out ada' }).click();
    await ada.getByLabel('Name').fill('ada');
    await ada.getByLabel('Password').fill('something else');
    await ada.getByRole('button', { name: 'Log in' }).click();
    await ada.getByText('Wrong name or password').waitFor();
    assert.equal(
      loud.filter((line) => !line.includes('401')),
      [],
    );
  } finally {
    await chromium.close();
  }

  async function visitor(): Promise<Page> {
    return (await chromium.newContext()).newPage();
  }
}

test.run();
