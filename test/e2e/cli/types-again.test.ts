import { mkdirSync, renameSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev, fwk } from '../../harness/fwk.js';
import { type Files, type Project, project } from '../../harness/project.js';
import { tells } from '../../harness/source.js';

// The types of a large project are made anew where something that they are made of has changed, and only there.

const test = suite('types once more');

const TYPES = '.fwk/types.d.ts';
const KEPT = '.fwk/types.kept';

/** Enough of a path that two hundred files are a large project. */
const LONG = 'a'.repeat(180);
const COUNT = 200;

function large(more: Files = {}): Files {
  const routes = Array.from({ length: COUNT }, (_, index) => [
    `api/${LONG}/r${index}.get.js`,
    tells('get', `${index}`),
  ]);
  return { 'package.json': '{ "type": "module" }', ...Object.fromEntries(routes), ...more };
}

/** Runs `fwk types`, and holds that a project which has never been asked has the same. */
async function typesOf(made: Project): Promise<string> {
  const { status, stderr } = await fwk(made, 'types');
  assert.equal([status, stderr], [0, '']);
  const text = made.read(TYPES);
  made.remove(KEPT);
  await fwk(made, 'types');
  assert.is(made.read(TYPES), text);
  return text;
}

/** What a plugin declares, and a note on stdout when it is asked what. */
const TELLING = (madeOf: string, declares: string) => `export default { plugins: [{
  name: 'telling',
  types: () => ({
    madeOf: '${madeOf}',
    get declarations() { console.log('asked'); return '  interface ${declares} {}\\n'; },
  }),
  apply() {},
}] };`;

const asked = async (made: Project): Promise<boolean> => (await fwk(made, 'types')).stdout.includes('asked');

test('what nothing has changed of is not made again', async () => {
  const made = project(large({ 'fwk.config.js': TELLING('a', 'A') }));
  assert.ok(await asked(made));
  const before = made.mtime(TYPES);
  assert.not.ok(await asked(made));
  assert.is(made.mtime(TYPES), before);
  made.write('fwk.config.js', TELLING('b', 'B'));
  assert.ok(await asked(made));
  assert.match(made.read(TYPES), 'interface B {}');
});

test('a small project has its types alone', async () => {
  const made = project({ 'api/x.get.js': tells('get', 'x') });
  assert.is((await fwk(made, 'types')).status, 0);
  assert.not.ok(made.exists(KEPT));
});

for (const [name, change] of [
  ['a route comes', (made) => made.write(`api/${LONG}/fresh.get.js`, tells('get', 'x'))],
  ['a route goes', (made) => made.remove(`api/${LONG}/r7.get.js`)],
  [
    'a route has another method',
    (made) => {
      made.remove(`api/${LONG}/r7.get.js`);
      made.write(`api/${LONG}/r7.post.js`, tells('post', 'x'));
    },
  ],
  ['a value of ctx comes', (made) => made.write('services/clock.js', '')],
  ['a page comes', (made) => made.write('web/index.get.js', tells('get', 'x'))],
  ['a template comes', (made) => made.write('views/letter.eta', '')],
  ['a plugin is switched off', (made) => made.write('fwk.config.js', `export default { disable: ['api'] };`)],
  ['the last plugin declares nothing any more', (made) => made.write('fwk.config.js', 'export default {};')],
  ['a plugin declares more', (made) => made.write('fwk.config.js', declaring('Second'))],
  ['it has moved into src/', moveIntoSource],
] as const satisfies readonly (readonly [string, (made: Project) => void])[])
  test(`${name}: the types are those of now`, async () => {
    const made = project(large({ 'fwk.config.js': declaring('First') }));
    await fwk(made, 'types');
    const before = made.read(TYPES);
    change(made);
    assert.is.not(await typesOf(made), before);
  });

test('a convention of the project that moves to other URLs is asked again', async () => {
  const at = (mount: string) => `import { httpRoutes } from 'fwkit/http';
export default { disable: ['api'], plugins: [httpRoutes({ name: 'own', directory: 'api', mount: '${mount}' })] };`;
  const made = project(large({ 'fwk.config.js': at('/first') }));
  assert.match(await typesOf(made), '"/first/');
  made.write('fwk.config.js', at('/second'));
  assert.match(await typesOf(made), '"/second/');
});

test('a convention of the project that looks for its files elsewhere is asked again', async () => {
  const at = (directory: string) => `import { httpRoutes } from 'fwkit/http';
export default { disable: ['api'], plugins: [httpRoutes({ name: 'own', directory: '${directory}', mount: '' })] };`;
  const made = project(large({ 'fwk.config.js': at('api') }));
  assert.match(await typesOf(made), `"/${LONG}/r7"`);
  made.write('fwk.config.js', at(`api/${LONG}`));
  assert.match(await typesOf(made), '"/r7"');
});

test('a convention of the project that calls its endpoints otherwise is asked again', async () => {
  const convention = (called: string) => `import { httpRoutes, METHOD_OF_SUFFIX } from 'fwkit/http';
export default { disable: ['api'], plugins: [httpRoutes({
  name: 'own',
  directory: 'api',
  mount: '/api',
  convention: {
    suffixes: METHOD_OF_SUFFIX,
    endpointOf: () => undefined,
    calls: (endpoint) => \`{ readonly ${called}: \${endpoint} }\`,
    missing: '',
    unwrapped: '',
  },
})] };`;
  const made = project(large({ 'fwk.config.js': convention('first') }));
  assert.match(await typesOf(made), 'readonly first:');
  made.write('fwk.config.js', convention('second'));
  assert.match(await typesOf(made), 'readonly second:');
});

test('fwk doctor tells of old types once', async () => {
  const made = project(large());
  await fwk(made, 'types');
  made.remove(`api/${LONG}/r7.get.js`);
  const { stdout } = await fwk(made, 'doctor');
  assert.equal(stdout.match(/FWK616.*types\S*/g)?.length, 1, stdout);
});

test('types that were edited, emptied or taken away are written again', async () => {
  const made = project(large());
  await fwk(made, 'types');
  const text = made.read(TYPES);
  for (const harm of [
    () => made.write(TYPES, text.replace('r7', 'r8')),
    () => made.write(TYPES, ''),
    () => made.remove(TYPES),
  ]) {
    harm();
    assert.is((await fwk(made, 'types')).status, 0);
    assert.is(made.read(TYPES), text);
  }
});

test('what is kept, and is torn, of another version or no file, counts for nothing', async () => {
  const made = project(large());
  await fwk(made, 'types');
  const [text, kept] = [made.read(TYPES), made.read(KEPT)];
  assert.ok(kept.endsWith(text));
  for (const wrong of [
    '',
    kept.slice(0, 1_000),
    kept.slice(0, -9),
    `1${kept}`,
    kept.replace(/core-\w/, 'core-'),
  ]) {
    made.write(KEPT, wrong);
    made.remove(`api/${LONG}/r7.get.js`);
    await fwk(made, 'types');
    assert.not.match(made.read(TYPES), 'r7"');
    made.write(`api/${LONG}/r7.get.js`, tells('get', '7'));
    made.write(KEPT, wrong);
    await fwk(made, 'types');
    assert.is(made.read(TYPES), text);
    assert.is(made.read(KEPT), kept);
  }
});

test('what cannot be kept is of no concern to whoever asks for types', async () => {
  const made = project(large());
  mkdirSync(made.path(KEPT), { recursive: true });
  for (const args of [['types'], ['generate', 'types'], ['types']]) {
    const { status, stdout, stderr } = await fwk(made, ...args);
    assert.equal([status, stderr], [0, '']);
    assert.not.match(stdout, KEPT);
  }
  const server = await dev(made);
  assert.not.match((await server.stop()).stderr, KEPT);
});

for (const [name, part, told] of [
  [
    'fails when it is asked',
    "{ madeOf: 'x', get declarations() { throw new Error('bang'); } }",
    /FWK706.*bang/,
  ],
  [
    'has imports that fail',
    "{ declarations: '', get imports() { throw new Error('bang'); } }",
    /FWK706.*bang/,
  ],
  ['declares what is no text', "{ madeOf: 'x' }", /FWK707.*declarations are not a text/],
  ['declares null', 'null', /FWK706/],
] as const)
  test(`a plugin that ${name} is named`, async () => {
    const config = `export default { plugins: [{ name: 'wrong', types: () => (${part}), apply() {} }] };`;
    const { status, stderr } = await fwk(project({ 'fwk.config.js': config }), 'types');
    assert.is(status, 1);
    assert.match(stderr, told);
    assert.match(stderr, 'Plugin "wrong" failed in types');
  });

function moveIntoSource(made: Project): void {
  mkdirSync(made.path('src'));
  renameSync(made.path('api'), made.path('src/api'));
  renameSync(made.path('fwk.config.js'), made.path('src/fwk.config.js'));
}

function declaring(name: string): string {
  return `export default { plugins: [{
  name: 'declaring',
  types: () => ({ declarations: '  interface ${name} {}' }),
  apply() {},
}] };`;
}

test.run();
