import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Visitor } from '../../harness/cookie-client.js';
import { mistaken } from '../../harness/failed-start.js';
import { ended, launch, start } from '../../harness/fwk.js';
import { bin } from '../../harness/installed.js';
import { project } from '../../harness/project.js';
import { assertRefused } from '../../harness/refusal.js';
import { configFile, module, service } from '../../harness/source.js';
import { config, files, running } from './store-project.js';

const test = suite('session settings');

test('production requires a secret of sufficient length', async () => {
  const main = `${module('bootstrap', `console.log(...(await bootstrap({ host: 'localhost', port: 0 })));`)}`;
  const made = project({ ...files, 'main.ts': main }, 'js');
  const run = () => launch(process.execPath, ['main.js'], made.root);
  const refused = await run().end;
  assertRefused(refused, 'node main.js');
  assert.match(
    refused.stderr,
    /^FWK206 di\/cart\.js: is stored in a session, but there is no secret to sign its cookie with\. Set SESSION_SECRET, FWK_SECRET, or session\.secrets in fwk\.config: node -p .*\nRead more: npx fwk docs FWK206\n$/,
  );

  made.write('.env.production', 'SESSION_SECRET=changeme\n');
  const short = await run().end;
  assertRefused(short, 'node main.js');
  assert.match(
    short.stderr,
    'SESSION_SECRET has a secret of 8 characters. Use at least 32 random characters: ',
  );
  assert.not.match(short.stderr, 'changeme');

  made.write('.env.production', `SESSION_SECRET=${'x'.repeat(32)}\n`);
  const { output, stop } = run();
  const [, url = ''] = await output.waitFor(/(http:\/\/\S+:\d+)\//);
  const ann = new Visitor(url);
  await ann.post('/api/add/pen');
  assert.equal(await ann.json('/api/cart'), ['pen']);
  await stop();
});

test('the config sets the cookie name and Secure', async () => {
  const made = project({ ...files, 'fwk.config.ts': config(`{ cookie: '__Host-shop', secure: true }`) });
  await running(made, async ({ url }) => {
    const ann = new Visitor(url);
    const answer = await ann.post('/api/add/pen');
    assert.match(
      answer.headers['set-cookie']?.join() ?? '',
      /^__Host-shop=.*; HttpOnly; Secure; SameSite=Lax$/,
    );
    assert.equal(await ann.json('/api/cart'), ['pen']);
  });
});

test('a singleton that reads a session value is rejected', async () => {
  const made = project({
    ...files,
    'services/mailer.ts': service('(ctx) => ({ cart: ctx.cart })'),
  });
  assert.match(
    await mistaken(made),
    'src/services/mailer.ts: is a singleton and reads ctx.cart, which lives for one visitor. Pass it as an argument where it is used.',
  );
});

for (const [options, reported] of [
  ['{ maxAge: 0 }', '"session.maxAge" must be a whole number of seconds, at least 1; it is 0.'],
  [`{ cookie: 'a b' }`, '"session.cookie" must be a valid cookie name; it is "a b".'],
  ['{ store: {} }', '"session.store" must be an object with get, set and delete; it is {}.'],
  [`{ secrets: ['short'] }`, 'session.secrets in fwk.config has a secret of 5 characters.'],
  [`{ secure: 'yes' }`, '"session.secure" must be true, false or "auto"; it is "yes".'],
] as const) {
  test(`rejects an invalid option: ${options}`, async () => {
    const made = project({ ...files, 'fwk.config.ts': config(options) });
    assert.match(await mistaken(made), reported);
  });
}

test('without the plugin, reading a session value is an error that explains the cause', async () => {
  const made = project({
    ...files,
    'fwk.config.ts': configFile(`{ disableUnsafe: ['session'] }`),
  });
  const output = await running(made, async ({ url }) => {
    assert.is((await new Visitor(url).visit('/api/cart')).status, 500);
    assert.is((await new Visitor(url).visit('/api/plain')).status, 200);
  });
  assert.match(output, /ctx\.cart .* with the plugin "session" enabled/);
});

test('listing the routes needs no secret, and serving does in any mode', async () => {
  const made = project(files);
  const run = (...args: string[]) =>
    ended(start('env', ['NODE_ENV=staging', bin('fwk'), ...args], made.root), args.join(' '));
  assert.is((await run('routes')).status, 0);
  assert.match(
    await mistaken(made, 'NODE_ENV=staging'),
    'src/di/cart.ts: is stored in a session, but there is no secret',
  );
});

test('renewing and ending need a session value', async () => {
  const made = project({
    'api/end.ts': module('endSession, get', 'export default get((req) => endSession(req));'),
  });
  const output = await running(made, async ({ url }) => {
    assert.is((await new Visitor(url).visit('/api/end')).status, 500);
  });
  assert.match(output, 'endSession() needs a session: provide a value with the lifetime "session"');
});

test.run();
