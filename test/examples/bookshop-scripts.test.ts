import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, fwk, start } from '../harness/fwk.js';
import { bin } from '../harness/installed.js';
import { build, production } from '../harness/settings.js';
import { copyOf } from './example.js';

const test = suite('bookshop scripts');
const copy = copyOf('bookshop', ['libsql', 'zod']);

test('its own tests pass', async () => {
  const { status, stdout, stderr } = await ended(start('npm', ['test'], copy.root), 'npm test');
  assert.is(status, 0, stdout + stderr);
  assert.match(stdout, /^\S+ pass 5$/m);
});

test('its policy holds, as CI checks', async () => {
  const { status, stdout, stderr } = await fwk(copy, 'prove', '--github');
  assert.equal([status, stdout], [0, ''], stderr);
});

test('production sets a secure session cookie and a Content-Security-Policy behind an https proxy', async () => {
  copy.write('fwk.config.ts', copy.read('fwk.config.ts').replace('http: {', 'http: { trustProxy: 1,'));
  await build(copy);
  const { url, stop } = await production(copy);
  const proxy = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'shop.example' };
  const home = await fetch(url, { headers: proxy });
  assert.equal([home.status, home.headers.has('content-security-policy')], [200, true]);
  const login = await fetch(`${url}/api/v1/login`, {
    method: 'POST',
    body: JSON.stringify({ email: 'ada@example.com', password: 'analytical engine' }),
    headers: { ...proxy, 'content-type': 'application/json' },
  });
  assert.match(String(login.headers.get('set-cookie')), /HttpOnly; Secure; SameSite=/);
  await stop();
});

test('the scripts of its pages type-check with their own tsconfig', async () => {
  const args = ['-p', 'tsconfig.public.json', '--noEmit', '--pretty', 'false'];
  const { status, stdout } = await ended(start(bin('tsc'), args, copy.root), 'tsc');
  assert.equal([status, stdout], [0, '']);
});

test.run();
