import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended } from '../../harness/fwk.js';
import { packageAs } from '../../harness/packages.js';
import { base, begin, created, patience, run, source } from './created.js';

// What npm create fwkit has made, with another TypeScript and by another package manager.

const test = suite('create with other tools');

test('its check is by the TypeScript that the project has, and finds mistakes', async () => {
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

test('pnpm makes it and runs its scripts, too', async () => {
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
