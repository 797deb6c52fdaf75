import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, fwk, start } from '../../harness/fwk.js';
import { connect } from '../../harness/http.js';
import { type Files, project } from '../../harness/project.js';
import { MAIN, production } from '../../harness/settings.js';
import { route, service } from '../../harness/source.js';

// `node main.js`: signals, draining and exit codes. In the JavaScript layout, which needs no build.

const test = suite('production');

const told = (name: string, before = '') =>
  service(`(ctx, { onDestroy }) => {
       ${before}
       onDestroy(() => console.log('[destroy ${name}]'));
       return {};
     }`);

const files: Files = {
  'main.ts': MAIN,
  'services/a.ts': told('a', 'ctx.b;'),
  'services/b.ts': told('b'),
  'api/quick.ts': route('get', '() => "quick"'),
  // Runs until the test lets it answer.
  'api/slow.ts': route(`async () => {
       const told = new Promise((resolve) => process.once('SIGUSR2', resolve));
       console.log('[slow began]');
       await told;
       return 'slow';
     }`),
  'api/endless.ts': route('get', `() => { console.log('[endless began]'); return new Promise(() => {}); }`),
};

const run = (more: Files = {}) => production(project({ ...files, ...more }, 'js'), 'main.js');

test('answers the running request, accepts no connection, and destroys services in order', async () => {
  const { child, output, end, url } = await run();
  const slow = fetch(`${url}/api/slow`).then((response) => response.json());
  await output.waitFor(/\[slow began\]/);
  const [idle, kept] = await Promise.all([connect(url), connect(url)]);
  kept.send('GET /api/quick HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await kept.read(/"quick"/);
  child.kill('SIGTERM');
  await Promise.all([idle.rest(), kept.rest()]);
  const refused = await fetch(`${url}/api/quick`).catch((cause: Error) => cause);
  assert.ok(refused instanceof Error, 'a new connection is refused');
  child.kill('SIGUSR2');
  assert.is(await slow, 'slow');
  const { status, stdout } = await end;
  assert.is(status, 0);
  assert.equal(stdout.match(/\[destroy \w\]/g), ['[destroy a]', '[destroy b]']);
});

test('warns about a mode in which responses contain stack traces', async () => {
  const main = MAIN.replace(/^(import .*\n)/, "$1process.env.NODE_ENV = 'development';\n");
  const { child, output, end } = await run({ 'main.ts': main });
  await output.waitFor(/NODE_ENV is "development", so responses contain error messages and stack traces/);
  child.kill('SIGTERM');
  assert.is((await end).status, 0);
});

test('a used port ends the process with a message that names PORT', async () => {
  const { url, stop } = await run();
  const { port } = new URL(url);
  const made = project(files, 'js');
  const second = start(
    '/usr/bin/env',
    [`PORT=${port}`, 'HOST=127.0.0.1', process.execPath, 'main.js'],
    made.root,
  );
  const { status, stderr } = await ended(second, 'main.js');
  assert.is(status, 1);
  assert.is(
    stderr.trim(),
    `FWK208 Port ${port} is already in use on 127.0.0.1. Stop the process that uses it, or choose another port with PORT.\nRead more: npx fwk docs FWK208`,
  );
  await stop();
});

test('cuts off a hanging request at the limit and exits with 1', async () => {
  const config = `import { defineConfig } from 'fwkit';\nexport default defineConfig({ http: { drainLimit: 200 } });\n`;
  const { child, output, end, url } = await run({ 'fwk.config.ts': config });
  const endless = fetch(`${url}/api/endless`).catch((cause: Error) => cause);
  await output.waitFor(/\[endless began\]/);
  child.kill('SIGTERM');
  const { status, stdout } = await end;
  assert.is(status, 1);
  assert.ok((await endless) instanceof Error);
  assert.match(stdout, /\[destroy a\]\n\[destroy b\]/);
});

test('a second signal ends the process immediately', async () => {
  const { child, output, end, url } = await run();
  const endless = fetch(`${url}/api/endless`).catch((cause: Error) => cause);
  await output.waitFor(/\[endless began\]/);
  const idle = await connect(url);
  child.kill('SIGTERM');
  // The first signal has been heard when the idle connection is closed.
  await idle.rest();
  child.kill('SIGTERM');
  assert.is((await end).status, 143);
  assert.ok((await endless) instanceof Error);
});

for (const [name, env, sentence] of [
  ...['0x50', '65536'].map(
    (port) =>
      [
        `the PORT "${port}"`,
        `PORT=${port}`,
        `PORT is a whole number from 0 to 65535, not "${port}". Set it to one.`,
      ] as const,
  ),
  ['a broken convention', 'PORT=0', 'api/bad.js: has no default export.'],
] as const) {
  test(`${name} ends the process with status 1 and a message`, async () => {
    const made = project(
      { ...files, ...(env === 'PORT=0' ? { 'api/bad.ts': 'export const x = 1;\n' } : {}) },
      'js',
    );
    const child = start('/usr/bin/env', [env, process.execPath, 'main.js'], made.root);
    const { status, stdout, stderr } = await ended(child, name);
    assert.is(status, 1);
    assert.ok(stderr.includes(sentence), stderr);
    assert.not.match(stderr + stdout, /^\s+at /m);
  });
}

test('fwk build without a tsconfig.json reports that there is nothing to compile', async () => {
  const made = project(files, 'js');
  const { status, stdout } = await fwk(made, 'build');
  assert.is(status, 0);
  assert.match(stdout, /^\.fwk\/types\.d\.ts\nThere is no tsconfig\.json: nothing to compile\.$/m);
  assert.ok(made.exists('.fwk/types.d.ts'));
});

test.run();
