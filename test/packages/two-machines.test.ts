import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { atExit } from '../harness/cleanup.js';
import { blocksOf } from '../harness/documents.js';
import { freePort } from '../harness/free-port.js';
import { linkLibraries } from '../harness/libraries.js';
import type { Output } from '../harness/output.js';
import { project } from '../harness/project.js';
import { isInstalled, nginxCommand } from '../harness/proxies.js';
import { redisServer, withRedis } from '../harness/redis.js';
import { build, MAIN, production, TSCONFIG } from '../harness/settings.js';
import { connectSocket } from '../harness/socket.js';

// The shop of docs/operate/machines.md, made of its text alone, with a Redis and an nginx.

const PAGE = 'docs/operate/machines.md';

const test = suite('two machines');
/** Ends processes that a failed test left. */
const ends: (() => void)[] = [];
test.after(() => {
  for (const end of ends) end();
});
const here = isInstalled('nginx') ? test : test.skip;

here('two processes behind nginx share sessions, rooms, jobs and cron', async () => {
  const blocks = blocksOf(PAGE).flatMap(({ file, text }) => (file === undefined ? [] : [{ file, text }]));
  const files = blocks.map(({ file, text }) => [file.replace(/^src\//, ''), text] as const);
  const made = project({
    'main.ts': MAIN,
    ...Object.fromEntries(files),
    'package.json': '{ "name": "shop", "private": true, "type": "module" }\n',
    'tsconfig.json': TSCONFIG,
  });
  // Shortens long times for the test: the interval of a report, and the shutdown delay for load balancers.
  made.write('cron/report.ts', made.read('cron/report.ts').replace('*/10 ', '* '));
  made.write('fwk.config.ts', made.read('fwk.config.ts').replace(', drainDelay: 5_000', ''));
  linkLibraries(made, '@redis/client');
  await build(made);
  const redis = await redisServer();
  ends.push(() => void redis.kill());
  const variables = [`REDIS_URL=${redis.url}`, `FWK_SECRET=${'secret'.repeat(6)}`];
  const start = async () => {
    const app = await production(made, 'dist/main.js', process.execPath, variables);
    ends.push(() => app.child.kill('SIGKILL'));
    return app;
  };
  const [one, two] = await Promise.all([start(), start()]);
  const url = await nginx(
    made
      .read('shop.conf')
      .replace('127.0.0.1:3001', new URL(one.url).host)
      .replace('127.0.0.1:3002', new URL(two.url).host),
  );

  const watcher = await connectSocket(url, '/ws/orders');
  let cookie = '';
  const order = async (book: string) => {
    const response = await fetch(`${url}/api/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify({ book }),
    });
    assert.is(response.status, 200, await response.clone().text());
    cookie = response.headers.getSetCookie()[0]?.split(';', 1)[0] ?? cookie;
    return (await response.json()) as { books: string[]; by: number };
  };
  const books = ['Emma', 'Persuasion', 'Sanditon', 'Evelina'];
  const by = new Set<number>();
  for (const [index, book] of books.entries()) {
    const answer = await order(book);
    assert.equal(answer.books, books.slice(0, index + 1));
    by.add(answer.by);
  }
  assert.is(by.size, 2, 'both have answered');
  for (const book of books) assert.is(String(await watcher.next()), book);

  const both = () => one.output.all + two.output.all;
  const mails = () =>
    [...both().matchAll(/mail \S+ to ada@example\.com: ([^"\\]*)/g)].map(([, list]) => list);
  while (mails().length < books.length) await either(one.output, two.output, /mail \S+ to/);
  assert.equal(
    mails().sort(),
    books.map((_, index) => books.slice(0, index + 1).join(', ')),
  );
  await either(one.output, two.output, /report of/);

  await one.stop();
  const from = two.output.mark();
  await two.output.waitFor(/report of/, from);
  assert.is((await order('Lady Susan')).by, two.child.pid);
  const reports = [...both().matchAll(/report of (\S+Z)/g)].map(([, at]) => at);
  assert.is(new Set(reports).size, reports.length, reports.join());
  await two.stop();
  await redis.stop();
});

/** Resolves when either output matches from now on. */
const either = (one: Output, two: Output, pattern: RegExp) =>
  Promise.race([one, two].map((output) => output.waitFor(pattern, output.mark())));

/** Starts nginx with a file of its conf.d; returns its URL. */
async function nginx(text: string): Promise<string> {
  const dir = mkdtempSync(path.join(tmpdir(), 'fwk-nginx-'));
  atExit(() => rmSync(dir, { recursive: true, force: true }));
  const port = await freePort();
  const file = path.join(dir, 'shop.conf');
  writeFileSync(file, text.replace('listen 3000', `listen 127.0.0.1:${port}`));
  const [command, ...args] = nginxCommand(file, dir);
  const child = spawn(command, args, { stdio: 'ignore' });
  ends.push(() => child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  while (child.exitCode === null) {
    const answer = await fetch(`${url}/healthz`).catch(() => undefined);
    if (answer) return url;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`nginx ended with ${child.exitCode}`);
}

const tests = withRedis(test);
tests.run();
