import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { GET, handler, reachOf } from './graph-of.js';

// Ways out of the process: the environment, the network, packages and modules of Node, however they are asked for.

const test = suite('leaves of the graph of modules');

const ENV: Readonly<Record<string, string>> = {
  'process.env.X': 'X',
  "process.env['X']": 'X',
  '(({ X }) => X)(process.env)': 'X',
  '{ const { X } = process.env; return X; }': 'X',
  '{ const { env } = process; return env.X; }': 'X',
  '{ const p = process; return p.env.X; }': 'X',
  '{ const { env: { X: y } } = process; return y; }': 'X',
  'globalThis.process.env.X': 'X',
  '{ const { process: p } = globalThis; return p.env.X; }': 'X',
  'import.meta.env.X': 'X',
  'process.env[req.query.x]': '*',
  'Object.keys(process.env)': '*',
  '({ ...process.env })': '*',
  'JSON.stringify(process)': '*',
};
for (const [body, name] of Object.entries(ENV))
  test(`the environment: ${body}`, async () => {
    assert.equal([...(await reachOf(handler(body))).leaves.env], [name]);
  });

test('the environment, imported', async () => {
  for (const [imported, use] of [
    ["import { env } from 'node:process';", 'env.X'],
    ["import process from 'process';", 'process.env.X'],
    ["import * as all from 'node:process';", 'all.env.X'],
    ["import process, { env as e } from 'node:process';", '[process.pid, e.X]'],
  ])
    assert.equal([...(await reachOf(`${imported}\n${handler(use ?? '')}`)).leaves.env], ['X'], imported);
});

const NET: Readonly<Record<string, string>> = {
  "fetch('http://x')": 'fetch',
  "globalThis.fetch('http://x')": 'fetch',
  "globalThis['fetch']('http://x')": 'fetch',
  "{ const f = fetch; return f('http://x'); }": 'fetch',
  "{ const { fetch: f } = globalThis; return f('http://x'); }": 'fetch',
  "['http://x'].map(fetch)": 'fetch',
  "new WebSocket('ws://x')": 'WebSocket',
};
for (const [body, name] of Object.entries(NET))
  test(`the network: ${body}`, async () => {
    assert.equal([...(await reachOf(handler(body))).leaves.net], [name]);
  });

test('a function of that name that the module has itself is no network', async () => {
  const { leaves } = await reachOf(
    `${GET}const fetch = (url: string) => url;\nexport default get(() => fetch('x'));\n`,
  );
  assert.is(leaves.net.size, 0);
});

const MADE = "import { createRequire } from 'node:module';\n";
const WAYS_TO_LIB: Readonly<Record<string, string>> = {
  'a literal of require()': `${MADE}const require = createRequire(import.meta.url);\n${handler("require('../lib/mail.js').send()")}`,
  'at once': `${MADE}${handler("createRequire(import.meta.url)('../lib/mail.js').send()")}`,
  'by the default export': `import module from 'node:module';\nconst load = module.createRequire(import.meta.url);\n${handler("load('../lib/mail.js').send()")}`,
  'resolved, to be run': `${MADE}const { resolve } = createRequire(import.meta.url);\n${handler("fork(resolve('../lib/mail.js'))")}`,
  'import.meta.resolve': handler("fork(import.meta.resolve('../lib/mail.js'))"),
};
for (const [way, text] of Object.entries(WAYS_TO_LIB))
  test(`require: ${way}`, async () => {
    const { leaves, keys } = await reachOf(text, { 'lib/mail.ts': "export { send } from 'nodemailer';\n" });
    assert.ok(leaves.packages.has('nodemailer'));
    assert.equal([keys, leaves.blind], [[], []]);
  });

test('require.resolve loads nothing, however it is asked for', async () => {
  for (const text of [
    `${MADE}const { resolve } = createRequire(import.meta.url);\n${handler("resolve('zod/package.json')")}`,
    `${MADE}const require = createRequire(import.meta.url);\n${handler('require.resolve(req.query.x)')}`,
    `${MADE}${handler("createRequire(import.meta.url).resolve('zod')")}`,
  ])
    assert.equal((await reachOf(text)).leaves.blind, [], text);
});

test('a require() that others get, or of a computed name, may load anything', async () => {
  for (const text of [
    `${MADE}export const require = createRequire(import.meta.url);\n${handler('1')}`,
    `${MADE}const { cache } = createRequire(import.meta.url);\n${handler('cache')}`,
    `import module from 'node:module';\n${handler('module.createRequire(import.meta.url)(req.query.x)')}`,
  ])
    assert.is((await reachOf(text)).leaves.blind.length, 1, text);
});

test('modules of Node and packages, however they are asked for', async () => {
  const ways: readonly (readonly [text: string, name: string])[] = [
    [`import { readFileSync } from 'fs';\n${handler("readFileSync('x')")}`, 'node:fs'],
    [handler("import('node:fs')"), 'node:fs'],
    [handler("process.getBuiltinModule('fs')"), 'node:fs'],
    [
      `import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\n${handler("require('fs')")}`,
      'node:fs',
    ],
    [
      `import { createRequire } from 'node:module';\n${handler("createRequire(import.meta.url)('fs')")}`,
      'node:fs',
    ],
    [`import { file, get } from 'fwkit';\nexport default get(() => file('x', { root: 'y' }));\n`, 'node:fs'],
    [`import mail from 'nodemailer';\n${handler('mail()')}`, 'nodemailer'],
    [`import '@sentry/node/preload';\n${handler('1')}`, '@sentry/node'],
    [`import { send } from '../lib/mail.js';\n${handler('send()')}`, 'nodemailer'],
    [`import * as all from '../lib/all.js';\n${handler('all.send()')}`, 'nodemailer'],
  ];
  const lib = {
    'lib/mail.ts': "export { send } from 'nodemailer';\n",
    'lib/all.ts': "export * from 'nodemailer';\n",
  };
  for (const [text, name] of ways) {
    const { leaves } = await reachOf(text, lib);
    assert.ok(leaves.packages.has(name) || leaves.builtins.has(name), text);
  }
});

test.run();
