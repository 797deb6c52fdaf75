import { writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mistaken } from '../../harness/failed-start.js';
import { dev, fwk, spawnDevWith } from '../../harness/fwk.js';
import { type Files, project } from '../../harness/project.js';
import { refusal } from '../../harness/refusal.js';
import { configFile, di, module, service, tells, wsModule } from '../../harness/source.js';

// Mistakes with which a project used to start as if everything was fine.

const guard = module('middleware, error', 'export default middleware(() => { throw error(401); });');
const route = tells('get', 'x');
const files: Files = { 'api/x.ts': route };

const test = suite('checks');

/** Files that are refused, and the report. */
const refused: Readonly<Record<string, readonly [Files, RegExp]>> = {
  'a guard next to the convention directories': [
    { 'middleware.ts': guard },
    /FWK118 src\/middleware\.ts: exports middleware\(\), but fwk does not read this file, so it has no effect\. Move it to src\/middlewares\//,
  ],
  'a guard in a directory with a similar name': [
    { 'middleware/1.guard.ts': guard },
    /FWK118 src\/middleware\/1\.guard\.ts: /,
  ],
  'a guard in another directory': [{ 'lib/guard.ts': guard }, /FWK118 src\/lib\/guard\.ts: /],
  'a default export by name': [
    {
      'lib/guard.ts': module(
        'middleware as mw',
        'const guard = mw((req, res, ctx, next) => next());\nexport { guard as default };',
      ),
    },
    /FWK118 src\/lib\/guard\.ts: exports middleware\(\)/,
  ],
  'a misspelled _middleware': [
    { 'api/admin/_middlewares.ts': guard },
    /FWK119 src\/api\/admin\/_middlewares\.ts: protects nothing/,
  ],
  'a directory _middleware': [
    { 'api/_middleware/index.ts': guard },
    /FWK119 src\/api\/_middleware: protects nothing/,
  ],
  'a guard with an underscore': [
    { 'api/_guard.ts': guard },
    /FWK118 src\/api\/_guard\.ts: exports middleware\(\)/,
  ],
  'a service in service/': [{ 'service/mail.ts': service('() => ({})') }, /Move it to src\/services\//],
  'jobs without the plugin': [
    { 'cron/a.ts': "import { job } from '@fwkit/cron';\nexport default job('* * * * *', () => {});\n" },
    /FWK118 src\/cron\/a\.ts: exports job\(\), .*Add plugins: \[cron\(\)\] to fwk\.config\./,
  ],
  'a policy without the plugin': [
    { 'policy.ts': "import { policy } from '@fwkit/prove';\nexport default policy([]);\n" },
    /FWK118 src\/policy\.ts: exports policy\(\), .*Add plugins: \[prove\(\)\]/,
  ],
  'a component among the routes': [
    { 'src/api/page.get.tsx': route },
    /FWK118 src\/api\/page\.get\.tsx: is not read: /,
  ],
  'a CommonJS route': [{ 'src/api/y.get.cts': route }, /FWK118 src\/api\/y\.get\.cts: is not read: /],
  'an extension in upper case': [
    { 'src/middlewares/1.guard.TS': guard },
    /FWK118 src\/middlewares\/1\.guard\.TS: is not read: the extension of a module is \.ts/,
  ],
  'an extension that a text editor has added': [
    { 'src/api/_middleware.ts.txt': guard, 'src/api/y.get.ts.txt': route },
    /FWK118 src\/api\/y\.get\.ts\.txt: is not read/,
  ],
  'a config in another module': [
    { 'settings.ts': configFile('{ rateLimit: { limit: 5 } }') },
    /FWK118 src\/settings\.ts: exports defineConfig\(\), .*Move it to src\/fwk\.config\.ts/,
  ],
  'a config for one mode': [
    { 'fwk.config.ts': 'export default {};\n', 'fwk.config.prod.ts': 'export default {};\n' },
    /FWK118 src\/fwk\.config\.prod\.ts: is not read: the config of this project is src\/fwk\.config\.ts\. Move its settings there/,
  ],
  'a config in JSON': [{ 'src/fwk.config.json': '{}' }, /FWK118 src\/fwk\.config\.json: is not read/],
  'environment variables in UTF-16': [
    { '.env': 'F\0W\0K\0_\0S\0E\0C\0R\0E\0T\0=\0a\0' },
    /FWK112 \.env: is not UTF-8/,
  ],
  'a line that is no environment variable': [
    { '.env': 'ONE="a\nb"\n# two\nexport TWO=2\n\nFWK_SECRET: secret\nTHREE=3\n' },
    /FWK107 \.env:6: is not a variable\. Write NAME=value, or delete the line\./,
  ],
  'a misspelled option of di()': [
    {
      'di/a.ts': module(
        'di',
        "export default di({ lifetime: 'request', value: () => 1, onDestory: () => {} });",
      ),
    },
    /FWK309 src\/di\/a\.ts:\d+: .*di\(\) has no option "onDestory": it takes \{ lifetime, value \}/,
  ],
  'a method in upper case': [
    { 'api/y.GET.ts': route },
    /FWK119 src\/api\/y\.GET\.ts: .*rename it to \.get\.ts/,
  ],
};

for (const [name, [more, message]] of Object.entries(refused))
  test(`rejects ${name}`, async () => {
    const made = project({ ...files, ...more });
    assert.match(await refusal(made, 'routes'), message);
    const { status, stderr } = await fwk(made, 'doctor');
    assert.is(status, 1);
    assert.match(stderr, message);
  });

test('rejects a config next to src/', async () => {
  const made = project({ ...files, 'tsconfig.json': '{}' });
  writeFileSync(`${made.root}/fwk.config.ts`, 'export default {};\n');
  assert.match(
    await refusal(made, 'routes'),
    /FWK118 fwk\.config\.ts: is not read: .*Move it to src\/fwk\.config\.ts\./,
  );
});

test('rejects the same in JavaScript', async () => {
  const made = project({ ...files, 'middleware/1.guard.ts': guard, 'middleware.ts': guard }, 'js');
  const stderr = await refusal(made, 'routes');
  assert.match(stderr, /FWK118 middleware\.js: /);
  assert.match(stderr, /FWK118 middleware\/1\.guard\.js: /);
});

test('rejects a second route that is not the default export', async () => {
  const made = project({
    'api/x.ts': module('get, post', 'export const POST = post(() => 2);\nexport default get(() => 1);'),
    'api/y.ts': module('get', 'export async function DELETE() {}\nexport default get(() => 1);'),
    'api/z.ts': module('get', 'export const one = get(() => 1);\nexport default one.meta({ timeout: 5 });'),
  });
  const stderr = await refusal(made, 'routes');
  assert.match(stderr, /FWK121 src\/api\/x\.ts: exports POST, which fwk does not serve/);
  assert.match(stderr, /FWK121 src\/api\/y\.ts: exports DELETE/);
  assert.not.match(stderr, /api\/z\.ts/);
});

test('the doctor reports a template that nothing renders', async () => {
  const views = {
    'views/home.eta': "<% layout('layout') %>",
    'views/layout.eta': '',
    'views/hme.eta': '',
  };
  const made = project({
    ...views,
    'web/page.ts': module('get, view', "export default get(() => view('home', {}));"),
  });
  const { stdout } = await fwk(made, 'doctor');
  assert.match(stdout, /FWK423 views\/hme\.eta: /);
  assert.not.match(stdout, /views\/(?:home|layout)\.eta/);
  const computed = project({
    ...views,
    'web/page.ts': module('get, view', 'export default get((req) => view(req.path, {}));'),
  });
  assert.not.match((await fwk(computed, 'doctor')).stdout, /FWK423/);
});

/** Files with which the project starts, and the warning. */
const warned: Readonly<Record<string, readonly [Files, RegExp]>> = {
  'a directory with a similar name': [
    { 'service/mail.ts': 'export default class Mail {}\n' },
    /FWK118 src\/service:? is not a directory that fwk reads/,
  ],
  'a misspelled method': [
    { 'api/y.patsch.ts': route },
    /FWK119 src\/api\/y\.patsch\.ts:? .*rename it to \.patch\.ts/,
  ],
  'directories that differ in case': [
    { 'api/users/a.ts': route, 'api/Users/b.ts': route },
    /FWK120 src\/api\/users:? differs from src\/api\/Users only in upper and lower case/,
  ],
  'settings of an unknown mode': [{ '.env.prod': '' }, /FWK118 \.env\.prod:? is not read/],
  'clients that can forge their address': [
    { 'fwk.config.ts': 'export default { http: { trustProxy: true } };' },
    /FWK216 src\/fwk\.config\.ts:? has http\.trustProxy: true, so clients can forge their address/,
  ],
  'environment variables among the sources': [
    { 'src/.env': 'A=b\n' },
    /FWK118 src\/\.env:? is not read: fwk reads \.env next to package\.json\. Move it there\./,
  ],
  'a page among the routes that is not a module': [
    { 'src/web/index.html': '<p>', 'web/_parts/part.html': '<p>' },
    /FWK118 src\/web\/index\.html:? is not served: .* from public\/ next to package\.json/,
  ],
  'a timeout in the wrong unit': [
    { 'fwk.config.ts': 'export default { http: { timeout: 30 } };' },
    /FWK202 src\/fwk\.config\.ts:? has http\.timeout with 30 milliseconds, .* If you mean 30 seconds, write 30000\./,
  ],
  'a timeout of a route in the wrong unit': [
    { 'api/y.ts': module('get', 'export default get(() => 1).meta({ timeout: 5 });') },
    /FWK202 src\/api\/y\.ts:? has \.meta\(\{ timeout \}\) with 5 milliseconds/,
  ],
  'a copy of a route': [
    { 'api/x copy.ts': route },
    /FWK119 src\/api\/x copy\.ts:? has a space in its path, and is read like any other file/,
  ],
  'a directory with a method': [
    { 'api/users.get/index.ts': route },
    /FWK119 src\/api\/users\.get\/index\.ts:? is a route whose URL contains "users\.get"/,
  ],
  'a limit for a path without routes': [
    {
      'fwk.config.ts':
        "export default { rateLimit: { paths: { '/api/y': { limit: 5 }, '/api': { limit: 9 } } } };",
    },
    /FWK214 src\/fwk\.config\.ts:? has the path "\/api\/y" in rateLimit\.paths, but no route has this path or one below it/,
  ],
  'options of a disabled plugin': [
    { 'fwk.config.ts': "export default { disable: ['cors'], cors: { origin: '*' } };" },
    /FWK708 src\/fwk\.config\.ts:? disables "cors", but the project has the options "cors": they have no effect/,
  ],
  'a misspelled environment variable': [
    { '.env': 'FWK_SECERT=a\n' },
    /FWK204 The environment variable FWK_SECERT is set, but fwk does not read it\. If you meant FWK_SECRET, rename it/,
  ],
  'public/ among the sources': [{ 'src/public/a.css': '' }, /FWK118 src\/public:? is not read/],
};

for (const [name, [more, message]] of Object.entries(warned))
  test(`warns about ${name}`, async () => {
    const made = project({ ...files, ...more });
    assert.match((await fwk(made, 'doctor')).stdout, message);
    const server = await dev(made);
    await server.stop();
    assert.match(server.output.all, message);
  });

test('warns about a misspelled key of .meta() in JavaScript, and an unknown NODE_ENV', async () => {
  const made = project(
    { 'api/x.ts': module('get', 'export default get(() => 1).meta({ ratelimit: false, role: 1 });') },
    'js',
  );
  const { output, stop } = await spawnDevWith(made, 'NODE_ENV=prod');
  await stop();
  assert.match(
    output.all,
    /FWK403 api\/x\.js has \.meta\(\{ ratelimit \}\).* If you meant "rateLimit", rename it/,
  );
  assert.not.match(output.all, 'role');
  assert.match(output.all, 'FWK204 NODE_ENV is "prod", so this is neither development nor production.');
});

test('warns about fwk dev in production mode', async () => {
  const { output, stop } = await spawnDevWith(project(files), 'NODE_ENV=production');
  await stop();
  assert.match(output.all, 'FWK204 NODE_ENV is "production", but fwk dev is slower than the built project.');
});

test('accepts helpers, tests, and a guard that another module re-exports', async () => {
  const made = project({
    ...files,
    'api/_helpers.ts': 'export const one = 1;\nexport default one;\n',
    'api/_middleware.ts': guard,
    'src/api/_middleware.js.map': '{}',
    'api/x.test.ts': guard,
    'test/guard.ts': guard,
    'web/_page.ts': 'export const page = 1;\n',
    'lib/guard.ts': guard,
    'middlewares/1.guard.ts': "export { default } from '../lib/guard.js';\n",
    'routes/old.ts': 'export const old = 1;\n',
    'server.ts': "import { old } from './routes/old.js';\nexport default old;\n",
    'api/blog.posts.ts': route,
  });
  assert.is((await fwk(made, 'routes')).status, 0);
  assert.not.match((await fwk(made, 'doctor')).stdout, /FWK1\d\d/);
});

test('reports a guard that is added while the project is served, and keeps reporting it', async () => {
  const made = project(files);
  const server = await dev(made);
  made.write('middleware.ts', guard);
  await server.waitFor(/FWK118 src\/middleware\.ts: exports middleware\(\)/);
  const after = server.output.all.length;
  made.write('api/x.ts', tells('get', 'y'));
  await server.waitFor(/FWK118 src\/middleware\.ts/, after);
  made.remove('middleware.ts');
  await server.waitFor(/reloaded/i, after);
  await server.stop();
});

const config = (text: string): Files => ({
  'fwk.config.ts': configFile(`${text}`),
});
const cart: Files = {
  'di/cart.ts': di('session', '() => ({ n: 0 })'),
};

test('rejects disabling prove if there is a policy', async () => {
  const policy = { 'policy.ts': "import { policy } from '@fwkit/prove';\nexport default policy([]);\n" };
  const disabled = `import { prove } from '@fwkit/prove';\n${configFile("{ plugins: [prove()], disable: ['prove'] }")}`;
  const made = project({ ...files, ...policy, 'fwk.config.ts': disabled });
  assert.match(
    await refusal(made, 'routes'),
    /FWK708 .* has src\/policy\.ts: its rules are not checked\. .*"disableUnsafe"/,
  );
});

const unsafe: Readonly<Record<string, Files>> = {
  middlewares: { 'middlewares/1.guard.ts': guard },
  csrf: cart,
  session: cart,
  'rate-limit': {
    'api/y.ts': module('get', 'export default get(() => 1).meta({ rateLimit: { limit: 1, window: 60 } });'),
  },
};

for (const [name, more] of Object.entries(unsafe))
  test(`rejects disabling ${name} if the project needs it`, async () => {
    const made = project({ ...files, ...more, ...config(`{ disable: ['${name}'] }`) });
    const message = new RegExp(`FWK708 src/fwk\\.config\\.ts: disables "${name}", but the project has `);
    assert.match(await mistaken(made), message);
    assert.match((await fwk(made, 'doctor')).stderr, message);
    const intended = project({ ...files, ...more, ...config(`{ disableUnsafe: ['${name}'] }`) });
    assert.is((await fwk(intended, 'routes')).status, 0);
    assert.not.match((await fwk(intended, 'doctor')).stdout, /FWK708/);
    const unused = project({ ...files, ...config(`{ disable: ['${name}'] }`) });
    assert.not.match((await fwk(unused, 'doctor')).stdout, /FWK708/);
  });

test('rejects disabling middlewares if there is a _middleware file', async () => {
  const made = project({ ...files, 'api/_middleware.ts': guard, ...config(`{ disable: ['middlewares'] }`) });
  assert.match(await refusal(made, 'routes'), /has src\/api\/_middleware\.ts: they run for no request/);
});

for (const [name, more] of Object.entries<Files>({
  views: { 'views/a.eta': '<p></p>' },
  static: { 'public/a.txt': 'a' },
  'json-response': {},
  ws: { 'ws/a.ts': wsModule('() => {}') },
  context: { 'services/a.ts': service('() => ({})') },
}))
  test(`warns about disabling ${name}`, async () => {
    const made = project({ ...files, ...more, ...config(`{ disable: ['${name}'] }`) });
    const message = new RegExp(`FWK708 src/fwk\\.config\\.ts: disables "${name}"`);
    assert.match((await fwk(made, 'doctor')).stdout, message);
    const server = await dev(made);
    await server.stop();
    assert.match(server.output.all, new RegExp(`disables "${name}", but the project has `));
  });

test.run();
