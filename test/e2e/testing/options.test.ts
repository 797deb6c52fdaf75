import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { project } from '../../harness/project.js';
import { createTestApp } from '../../harness/testing.js';

// Options that code passes override fwk.config key by key. bootstrap(), createApp() and createTestApp() share this code.

const test = suite('options in code');

const made = project({
  'fwk.config.ts': `import { defineConfig } from 'fwkit';
export default defineConfig({
  http: { bodyLimit: 100 },
  session: { cookie: 'shop', maxAge: 3_600 },
  compression: { threshold: 1_000_000 },
});`,
  'di/cart.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: () => ({ items: 0 }) });`,
  'api/cart.post.ts': `import { post } from 'fwkit';
export default post((req, _res, ctx) => (ctx.cart.items += JSON.stringify(req.body).length));`,
  'api/long.get.ts': `import { get } from 'fwkit';
export default get(() => 'long '.repeat(1_000));`,
});

const post = (length: number) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify('x'.repeat(length)),
});

test('an option that code passes leaves the other options of its block alone', async () => {
  const app = await createTestApp({ dir: made.root, http: { drainLimit: 2_000 }, session: { maxAge: 60 } });
  assert.is((await app.fetch('/api/cart', post(200))).status, 413);
  const response = await app.fetch('/api/cart', post(1));
  assert.match(response.headers.get('set-cookie') ?? '', /^shop=.*Max-Age=60;/);
  await app.close();
});

test('undefined overrides nothing', async () => {
  const app = await createTestApp({
    dir: made.root,
    http: undefined,
    session: { cookie: undefined },
  } as object);
  assert.is((await app.fetch('/api/cart', post(200))).status, 413);
  const response = await app.fetch('/api/cart', post(1));
  assert.match(response.headers.get('set-cookie') ?? '', /^shop=.*Max-Age=3600;/);
  await app.close();
});

test('true and false enable and disable a plugin whose options are in the file', async () => {
  const coding = async (compression: boolean | object | undefined) => {
    const app = await createTestApp({ dir: made.root, compression } as object);
    const response = await app.fetch('/api/long', { headers: { 'accept-encoding': 'gzip' } });
    await app.close();
    return response.headers.get('content-encoding');
  };
  assert.is(await coding(undefined), null);
  assert.is(await coding(true), null);
  assert.is(await coding({ threshold: 10 }), 'gzip');
  assert.is(await coding(false), null);
});

test('services use an overriding value, and the overridden service is never created', async () => {
  const made = project({
    'services/mail.ts': `import { service } from 'fwkit';
export default service(() => { throw new Error('made'); });`,
    'services/greeter.ts': `import { service } from 'fwkit';
export default service((ctx) => ({ greet: (name) => ctx.mail.send(name) }));`,
    'api/greet.get.ts': `import { get } from 'fwkit';
export default get((_req, _res, ctx) => ctx.greeter.greet('Ada'));`,
  });
  const overrides = { mail: { send: (to: string) => `faked for ${to}` } };
  const app = await createTestApp({ dir: made.root, overrides: overrides as object });
  assert.is(await (await app.get('/api/greet')).json(), 'faked for Ada');
  await app.close();
});

test('an error names the position of the option', async () => {
  const message = async (options: object) =>
    createTestApp({ dir: made.root, ...options }).then(
      () => '',
      (error: Error) => error.message,
    );
  assert.match(await message({ http: { bodyLimit: -1 } }), /^(?!.*fwk\.config).*"http\.bodyLimit" must be/s);
  assert.match(
    await message({ http: { bodyLimt: 1 } }),
    /The options have an unknown key "http\.bodyLimt".*bodyLimit/s,
  );
});

test.run();
