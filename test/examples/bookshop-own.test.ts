import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, fwk, start } from '../harness/fwk.js';
import { production } from '../harness/settings.js';
import { copyOf } from './example.js';
import { judged } from './observatory.js';

// What the bookshop's package.json promises, in a copy of it.

const test = suite('bookshop scripts');
const shop = copyOf('bookshop', ['libsql', 'zod']);

test('its own tests pass', async () => {
  const { status, stdout, stderr } = await ended(start('npm', ['test'], shop.root), 'npm test');
  assert.is(status, 0, stdout + stderr);
  assert.match(stdout, /^\S+ pass 5$/m);
});

test('its policy holds, as CI asks', async () => {
  const { status, stdout, stderr } = await fwk(shop, 'prove', '--format', 'github');
  assert.equal([status, stdout], [0, ''], stderr);
});

test('it is built, and starts; its headers satisfy those who judge such', async () => {
  shop.write(
    'main.ts',
    shop.read('main.ts').replace(/await (bootstrap\(\))/, "console.log('listening on', (await $1).join())"),
  );
  // Behind a proxy that speaks https.
  shop.write('fwk.config.ts', shop.read('fwk.config.ts').replace('http: {', 'http: { trustProxy: 1,'));
  const built = await fwk(shop, 'build');
  assert.is(built.status, 0, built.stdout + built.stderr);
  const { child, output, end, url } = await production(shop);
  const login = JSON.stringify({ email: 'ada@example.com', password: 'analytical engine' });
  const headers = { 'content-type': 'application/json' };
  const verdicts = await judged(
    url,
    ...['/', '/books/middlemarch', '/api/v1/books', '/nowhere', '/style.css', '/admin'].map((target) => ({
      target,
    })),
    { target: '/api/v1/login', method: 'POST', body: login, headers },
  );
  for (const [target, { failed, score, unsafe }] of Object.entries(verdicts)) {
    assert.equal([failed, unsafe], [[], []], target);
    assert.ok(score >= 115, `${target} has ${score}`);
  }
  assert.is(verdicts['/']?.status, 200);
  assert.is(verdicts['/api/v1/login']?.cookies, 'cookies-secure-with-httponly-sessions-and-samesite');
  child.kill('SIGTERM');
  assert.is((await end).status, 0, output.all);
});

test.run();
