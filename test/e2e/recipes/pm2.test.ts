import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { atExit } from '../../harness/cleanup.js';
import { freePort } from '../../harness/free-port.js';
import { ended, start } from '../../harness/fwk.js';
import { request } from '../../harness/http.js';
import { section } from '../../harness/recipe.js';

// The section on pm2 in docs/recipes/libraries.md: start, reload under load, stop.

const test = suite('the recipe of pm2');

test('a reload fails no request and replaces both processes', async () => {
  const made = await section('pm2', ['pm2'], {
    'api/pid.get.ts':
      "import { get } from 'fwkit';\nexport default get(async () => { await new Promise((resolve) => setTimeout(resolve, 20)); return process.pid; });\n",
  });
  const [port, home] = [await freePort(), mkdtempSync(path.join(tmpdir(), 'fwk-pm2-'))];
  atExit(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));
  const origin = `http://127.0.0.1:${port}`;
  const pm2 = async (...args: string[]): Promise<string> => {
    const variables = [`PM2_HOME=${home}`, `PORT=${port}`, 'HOST=127.0.0.1'];
    const program = path.join(made.root, 'node_modules/pm2/bin/pm2');
    const child = start('/usr/bin/env', [...variables, process.execPath, program, ...args], made.root);
    const { status, stdout, stderr } = await ended(child, `pm2 ${args.join(' ')}`);
    assert.is(status, 0, stdout + stderr);
    return stdout;
  };
  const ask = async () => {
    const response = await fetch(`${origin}/api/pid`);
    assert.is(response.status, 200);
    await response.text();
  };
  const pids = async () => {
    const found = new Set<number>();
    // pm2 spreads connections over the processes.
    while (found.size < 2)
      found.add(Number((await request(origin, '/api/pid', { headers: { connection: 'close' } })).text));
    return [...found];
  };
  try {
    await pm2('startOrReload', 'ecosystem.config.cjs');
    const before = await pids();
    let isReloading = true;
    let asked = 0;
    const failures: unknown[] = [];
    const load = async () => {
      for (; isReloading; asked++) await ask().catch((cause) => failures.push(cause));
    };
    const clients = [load(), load(), load(), load()];
    await pm2('startOrReload', 'ecosystem.config.cjs');
    isReloading = false;
    await Promise.all(clients);
    assert.equal([failures, asked > 20], [[], true]);
    const now = await pids();
    assert.equal(
      now.filter((one) => before.includes(one)),
      [],
    );
    await pm2('stop', 'shop');
    const status = JSON.parse(await pm2('jlist')) as { pm2_env: { status: string; exit_code: number } }[];
    assert.equal(
      status.map(({ pm2_env }) => [pm2_env.status, pm2_env.exit_code]),
      Array(2).fill(['stopped', 0]),
    );
  } finally {
    await pm2('kill');
  }
});

test.run();
