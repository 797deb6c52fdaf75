import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ended, fwk, spawnFwk } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { type Project, project } from '../../harness/project.js';
import { unsampled } from '../../harness/sample.js';
import { build, MAIN, production, TSCONFIG } from '../../harness/settings.js';
import { di, module, service, textRoute } from '../../harness/source.js';

const test = suite('rejected builds');

const TOLD = 'There are errors, so nothing was written: dist is unchanged.';

async function served(made: Project, path: string): Promise<string> {
  const { url, stop } = await production(made);
  const text = await (await fetch(url + path)).text();
  await stop();
  return text;
}

test('a compile error writes nothing, and the previous build is still served', async () => {
  const made = project({ 'tsconfig.json': TSCONFIG, 'main.ts': MAIN, 'api/x.ts': textRoute('good') });
  made.write('api/x.ts', `${textRoute('first')}\nexport const wrong: number = 'text';\n`);
  const first = await fwk(made, 'build');
  assert.is(first.status, 1);
  assert.not.ok(made.exists('dist'));
  assert.not.match(first.stdout, TOLD);

  made.write('api/x.ts', textRoute('good'));
  await build(made);
  made.write('api/x.ts', `${textRoute('refused')}\nexport const wrong: number = 'text';\n`);
  made.write('api/added.ts', textRoute('added'));
  const refused = await fwk(made, 'build');
  assert.is(refused.status, 1);
  assert.match(refused.stdout, /^src\/api\/x\.ts\(\d+,14\): error TS2322: /m);
  assert.is(refused.stdout.trimEnd().split('\n').at(-1), TOLD);
  assert.not.ok(made.exists('dist/api/added.js'));
  assert.is(await served(made, '/api/x'), '"good"');

  // The setting is explicit, so it is respected.
  made.write('tsconfig.json', TSCONFIG.replace('"strict":true', '"strict":true,"noEmitOnError":false'));
  const wanted = await fwk(made, 'build');
  assert.is.not(wanted.status, 0);
  assert.not.match(wanted.stdout, TOLD);
  assert.match(made.read('dist/api/x.js'), 'refused');
});

const mistakes: Readonly<Record<string, readonly [text: string, sentence: string]>> = {
  'api/a/[id].get.ts': [
    module(
      'get',
      `import { z } from 'zod';\nexport default get({ params: z.object({ no: z.string() }) }, () => 1);`,
    ),
    ': has a params schema with "no", but the path of the file has "id".',
  ],
  'api/b.post.ts': [
    textRoute('b'),
    ': is named for POST but exports get(). Rename it to b.get.ts or wrap the handler in post().',
  ],
  'api/c.ts': [textRoute('c'), ''],
  'api/c.get.ts': [textRoute('c'), ''],
  'api/d.get.ts': [
    module(
      'get',
      `interface Gone {\n  a: 1;\n}\nexport default get({ ['querry' as 'title']: '' }, () => 1);`,
    ),
    ':5: get() has an unknown key "querry" in its definition.',
  ],
  'lib/late.ts': [
    `type Gone = 1;\nthrow new Error('no database');\n`,
    ':2: throws when it is imported: no database.',
  ],
  'api/e.get.ts': [`import '../lib/late.js';\n${textRoute('e')}`, ''],
};

function assertNamesSources({ status, stdout, stderr }: Ended, sentences: readonly string[]): void {
  assert.is(status, 1, stdout + stderr);
  for (const sentence of sentences)
    assert.ok(stderr.includes(sentence), `Not told: ${sentence}\nIn:\n${stderr}`);
  assert.match(stdout, /^dist contains the rejected build: do not start or deploy it\.$/m);
  assert.not.match(stderr, 'dist');
}

const kinds: Readonly<Record<string, readonly [text: string, sentence: string]>> = {
  'services/plain.ts': ['export default { a: 1 };\n', 'FWK301 {}: is not a provider.'],
  'services/factory.ts': ['export default () => 1;\n', 'FWK301 {}: is not a provider.'],
  'services/later.ts': [
    module('service', 'export default Promise.resolve(service(() => 1));'),
    'FWK301 {}: is not a provider.',
  ],
  'services/none.ts': ['export interface None {\n  a: 1;\n}\n', 'FWK301 {}: is not a provider.'],
  'services/route.ts': [textRoute('x'), 'FWK301 {}: is not a provider.'],
  'di/number.ts': ['export default 5;\n', 'FWK301 {}: is not a provider.'],
  'middlewares/service.ts': [service('() => 1'), 'FWK113 {}: is not a middleware.'],
  'api/service.get.ts': [service('() => 1'), 'FWK105 {}: exports service() or di()'],
  'ws/number.ts': ['export default 5;\n', 'FWK105 {}: has a default export that is not wrapped.'],
  'mcp/auth.ts': ['export default 5;\n', 'FWK511 {}: does not export an authorization.'],
};

test('the check after compilation rejects a wrong default export without creating services', async () => {
  const starting = service(`() => { throw new Error('asked'); }`);
  const made = project({
    'tsconfig.json': TSCONFIG,
    'main.ts': MAIN,
    'services/starting.ts': starting,
    ...Object.fromEntries(Object.entries(kinds).map(([file, [text]]) => [file, text])),
  });
  const refused = await fwk(made, 'build');
  assertNamesSources(
    refused,
    Object.entries(kinds).map(([file, [, says]]) => says.replace('{}', `src/${file}`)),
  );
  assert.match(refused.stderr, new RegExp(`^${Object.keys(kinds).length} problems in `));
  for (const file of Object.keys(kinds)) made.remove(file);
  await build(made);
});

unsampled(test)('the check after compilation names the sources and describes the state of dist', async () => {
  const texts = Object.entries(mistakes).map(([name, [text]]) => [name, text]);
  const made = project({ 'tsconfig.json': TSCONFIG, ...Object.fromEntries(texts) });
  linkLibraries(made);
  assertNamesSources(await fwk(made, 'build'), [
    ...Object.entries(mistakes).map(([name, [, sentence]]) => (sentence ? made.label(name) + sentence : '')),
    'src/api/c.ts: serves GET /api/c, which src/api/c.get.ts serves too. Delete or rename one of them.',
  ]);
});

unsampled(test)('without source maps, the reported line is a line of the compiled file', async () => {
  const made = project({
    'tsconfig.json': TSCONFIG.replace('"sourceMap":true', '"sourceMap":false'),
    'api/d.get.ts': mistakes['api/d.get.ts']?.[0] ?? '',
  });
  const { status, stderr } = await fwk(made, 'build');
  assert.is(status, 1);
  assert.match(stderr, 'src/api/d.get.ts: get() has an unknown key "querry"');
});

const CART = di('session', `() => [] as string[]`);
const NEEDS =
  /^FWK206 src\/di\/cart\.ts is stored in a session: production needs SESSION_SECRET, FWK_SECRET, or session\.secrets in fwk\.config, and none of them is set here\.$/m;

unsampled(test)('a missing production secret does not fail the build, which warns about it', async () => {
  const made = project({ 'tsconfig.json': TSCONFIG, 'di/cart.ts': CART, 'api/x.ts': textRoute('x') });
  assert.match((await build(made)).stderr, NEEDS);
  made.write('.env.production', 'SESSION_SECRET=changeme\n');
  assert.is((await build(made)).stderr, '');
});

unsampled(test)('a top-level await that never resolves ends the build and names its source', async () => {
  const made = project({
    'tsconfig.json': TSCONFIG,
    'main.ts': MAIN,
    'api/x.ts': `await new Promise(() => {});\n${textRoute('x')}`,
    'api/y.ts': textRoute('y'),
  });
  const { status, stderr } = await spawnFwk(made, 'build');
  const waits = 'waits in a top-level await that never settles: nothing else is running. Fix it there.';
  assert.equal([status, stderr], [1, `FWK110 src/api/x.ts: ${waits}\n`]);
});

test.run();
