import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, fwk, start } from '../harness/fwk.js';
import { bin } from '../harness/installed.js';
import { production } from '../harness/settings.js';
import { copyOf } from './example.js';
import { judged } from './observatory.js';

const test = suite('bookshop scripts');
const copy = copyOf('bookshop', ['libsql', 'zod']);

test('its own tests pass', async () => {
  const { status, stdout, stderr } = await ended(start('npm', ['test'], copy.root), 'npm test');
  assert.is(status, 0, stdout + stderr);
  assert.match(stdout, /^\S+ pass 5$/m);
});

test('its policy holds, as CI asks', async () => {
  const { status, stdout, stderr } = await fwk(copy, 'prove', '--format', 'github');
  assert.equal([status, stdout], [0, ''], stderr);
});

test('it is built, and starts; its headers satisfy those who judge such', async () => {
  copy.write(
    'main.ts',
    copy.read('main.ts').replace(/await (bootstrap\(\))/, "console.log('listening on', (await $1).join())"),
  );
  // Behind a proxy that speaks https.
  copy.write('fwk.config.ts', copy.read('fwk.config.ts').replace('http: {', 'http: { trustProxy: 1,'));
  const built = await fwk(copy, 'build');
  assert.is(built.status, 0, built.stdout + built.stderr);
  const { url, stop } = await production(copy);
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
  await stop();
});

test('the scripts of its pages type-check with a tsconfig of their own', async () => {
  const args = ['-p', 'tsconfig.public.json', '--noEmit', '--pretty', 'false'];
  const { status, stdout } = await ended(start(bin('tsc'), args, copy.root), 'tsc');
  assert.equal([status, stdout], [0, '']);
});

test.run();
