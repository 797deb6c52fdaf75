import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { request } from '../../harness/http.js';
import type { Files, Project } from '../../harness/project.js';
import { type Running, sharing } from '../../harness/running.js';
import { sampled } from '../../harness/sample.js';
import { configFile, middleware, module, reads, route, service, textRoute } from '../../harness/source.js';

// fwk dev: a broken edit keeps the last good version and reports the mistake, and the next good edit is served.
// test/e2e/cli/mistakes.ts has the messages.

/** Texts by file; null deletes the file. */
type Changes = Readonly<Record<string, string | null>>;

/** An edit that keeps the new version from being served. Its project answers 'good' at `/api/x`. */
interface Broken {
  /** Files in addition to the correct project that every case has. */
  readonly files: Files;
  readonly breaks: Changes;
  /** The terminal's message: the path from the root, the line if known, and the mistake. */
  readonly told: readonly RegExp[];
  /** Mends with other text than before: then `/api/x` answers 'mended'. */
  readonly mends?: Changes;
  /** The fix deletes a file, after which `/api/x` need not answer. */
  readonly deletes?: readonly string[];
}

const answering = (text: string) => middleware(`() => '${text}'`);

/** A route with a syntax error. */
const text = (broken: string, ...told: RegExp[]): Broken => ({
  files: { 'api/x.ts': textRoute('good') },
  breaks: { 'api/x.ts': broken },
  told,
  mends: { 'api/x.ts': textRoute('mended') },
  deletes: ['api/x.ts'],
});

/** A service that a route answers with. */
const made = (broken: string, ...told: RegExp[]): Broken => ({
  files: { 'api/x.ts': reads('word'), 'services/word.ts': service(`() => 'good'`) },
  breaks: { 'services/word.ts': broken },
  told,
  mends: { 'services/word.ts': service(`() => 'mended'`) },
});

const configured = (broken: string, ...told: RegExp[]): Broken => ({
  files: { 'api/x.ts': textRoute('good'), 'fwk.config.ts': configFile('{}') },
  breaks: { 'fwk.config.ts': broken },
  told,
  mends: { 'fwk.config.ts': configFile('{ http: { maxFiles: 5 } }'), 'api/x.ts': textRoute('mended') },
  deletes: ['fwk.config.ts'],
});

/** A route that answers with a value that it imports. */
const imported = (changes: Omit<Broken, 'files'>, words = `export const word = 'good';`): Broken => ({
  files: {
    'api/x.ts': `import { word } from '../lib/words.js';\n${route('get', '() => word')}`,
    'lib/words.ts': words,
  },
  mends: { 'lib/words.ts': `export const word = 'mended';` },
  ...changes,
});

const cases: Readonly<Record<string, Broken>> = {
  'a syntax error': text(
    `${textRoute('broken')}\n}`,
    /^ +FWK\d{3} src\/api\/x\.ts:4: does not parse: .*\n(?:.*\n)*? +4 \| }\n +\| \^/m,
  ),
  'a throw at import': text(
    `${textRoute('broken')}\nthrow new Error('at import');`,
    /^ +FWK\d{3} src\/api\/x\.ts:4: throws when it is imported: at import\./m,
  ),
  'an imported export is removed': imported({
    breaks: { 'lib/words.ts': `export const other = 'good';` },
    told: [/^ +FWK\d{3} src\/api\/x\.ts:1: cannot be linked: .*does not provide an export named 'word'/m],
  }),
  'an import of a missing module': text(
    `import '../lib/nowhere.js';\n${textRoute('broken')}`,
    /^ +FWK\d{3} src\/api\/x\.ts:1: cannot be linked: Cannot find module '\.\.\/lib\/nowhere\.js'/m,
    /1 \| import '\.\.\/lib\/nowhere\.js'/,
  ),
  'an import of a missing package': text(
    `import 'no-such-package';\n${textRoute('broken')}`,
    /^ +FWK\d{3} src\/api\/x\.ts:1: cannot be linked: Cannot find package 'no-such-package'.*\. Add it to "dependencies": production installs nothing else\./m,
  ),
  'a deleted module that is imported': imported({
    breaks: { 'lib/words.ts': null },
    told: [/^ +FWK\d{3} src\/api\/x\.ts:1: cannot be linked: Cannot find module '\.\.\/lib\/words\.js'/m],
    deletes: ['api/x.ts'],
  }),
  'a cycle of modules that reads an uninitialized binding': {
    files: {
      'api/x.ts': `import { left } from '../lib/left.js';\n${route('get', '() => left')}`,
      'lib/left.ts': `export const left = 'good';`,
      'lib/right.ts': `import { left } from './left.js';\nexport const right = left + '!';`,
    },
    breaks: { 'lib/left.ts': `import { right } from './right.js';\nexport const left = right + '?';` },
    told: [
      /^ +FWK\d{3} src\/lib\/right\.ts:2: throws when it is imported: Cannot access 'left' before initialization\./m,
    ],
    mends: { 'lib/left.ts': `export const left = 'mended';` },
  },
  'JSON that does not parse': {
    files: {
      'api/x.ts': `import data from '../../lib/data.json' with { type: 'json' };\n${route('get', '() => data.word')}`,
      'lib/data.json': '{ "word": "good" }',
    },
    breaks: { 'lib/data.json': '{\n  "word": good\n}' },
    told: [/^ +FWK\d{3} lib\/data\.json:2: does not parse: /m],
    mends: { 'lib/data.json': '{ "word": "mended" }' },
  },
  'a duplicate route': {
    files: { 'api/x.ts': textRoute('good') },
    breaks: { 'api/x/index.ts': textRoute('double') },
    told: [/^ +FWK\d{3} src\/api\/x\/index\.ts: serves GET \/api\/x, which src\/api\/x\.ts serves too\./m],
    mends: { 'api/x.ts': null, 'api/x/index.ts': textRoute('mended') },
    deletes: ['api/x/index.ts'],
  },
  'an invalid route name': {
    files: { 'api/x.ts': textRoute('good') },
    breaks: { 'api/x.ts': null, 'api/[x.ts': textRoute('good') },
    told: [/^ +FWK\d{3} src\/api\/\[x\.ts: has an invalid path segment "\[x": /m],
    mends: { 'api/[x.ts': null, 'api/x.ts': textRoute('mended') },
    deletes: ['api/[x.ts'],
  },
  'an empty file': text('', /^ +FWK\d{3} src\/api\/x\.ts: has no default export\./m),
  'a middleware of a directory that throws': {
    files: { 'api/x.ts': textRoute('no'), 'api/_middleware.ts': answering('good') },
    breaks: { 'api/_middleware.ts': `throw new Error('no key');` },
    told: [/^ +FWK\d{3} src\/api\/_middleware\.ts:1: throws when it is imported: no key\./m],
    mends: { 'api/_middleware.ts': answering('mended') },
    deletes: ['api/_middleware.ts'],
  },
  'a service that throws when it is created': made(
    service(`() => { throw new Error('no such host'); }`),
    /^ +FWK\d{3} src\/services\/word\.ts:2: failed to create its value: no such host\./m,
  ),
  'a cycle of services': {
    ...made(
      service('(ctx) => ctx.other'),
      /^ +FWK\d{3} src\/services\/\w+\.ts: is in a cycle of services: (other → word → other|word → other → word)\./m,
    ),
    files: {
      'api/x.ts': reads('word'),
      'services/word.ts': service(`() => 'good'`),
      'services/other.ts': service('(ctx) => [ctx.word]'),
    },
  },
  'two services with the same key': {
    files: { 'api/x.ts': reads('userStore'), 'services/userStore.ts': service(`() => 'good'`) },
    breaks: { 'services/user-store.ts': service(`() => 'double'`) },
    told: [
      /^ +FWK\d{3} src\/services\/userStore\.ts: provides ctx\.userStore, which src\/services\/user-store\.ts also provides\./m,
    ],
    mends: { 'services/userStore.ts': null, 'services/user-store.ts': service(`() => 'mended'`) },
    deletes: ['services/user-store.ts'],
  },
  'a deleted service that another reads': {
    files: {
      'api/x.ts': reads('word'),
      'services/word.ts': service('(ctx) => ctx.store.word'),
      'services/store.ts': service(`() => ({ word: 'good' })`),
    },
    breaks: { 'services/store.ts': null },
    told: [
      /^ +FWK\d{3} src\/services\/word\.ts:2: failed to create its value: Cannot read properties of undefined/m,
    ],
    mends: { 'services/store.ts': service(`() => ({ word: 'mended' })`) },
  },
  'a config with an unknown key': configured(
    configFile('{ plugin: [] }'),
    /src\/fwk\.config\.ts.* has an unknown key "plugin"\. Did you mean "plugins"\?/,
  ),
  'a config that does not parse': configured(
    'export default {',
    /src\/fwk\.config\.ts:1: does not parse: [\s\S]* 1 \| export default {/,
  ),
  'a tsconfig.json that does not parse': {
    files: { 'api/x.ts': textRoute('good'), 'tsconfig.json': '{ "include": [".fwk/**/*", "src"] }' },
    breaks: { 'tsconfig.json': '{\n  "include": \n}' },
    told: [/^ +FWK\d{3} tsconfig\.json:3: does not parse: /m],
    mends: { 'tsconfig.json': '{ "include": ["src", ".fwk/**/*"] }', 'api/x.ts': textRoute('mended') },
    deletes: ['tsconfig.json'],
  },
  'a package.json that does not parse': {
    files: { 'api/x.ts': textRoute('good') },
    breaks: { 'package.json': '{\n  "type": module\n}' },
    told: [/^ +FWK\d{3} package\.json:2: does not parse: /m],
    mends: { 'package.json': '{ "type": "module" }', 'api/x.ts': textRoute('mended') },
  },
  'a top-level await that never ends': text(
    `${textRoute('broken')}\nawait new Promise(() => {});`,
    /src\/api\/x\.ts: waits in a top-level await /,
  ),
  'a service that is never created': made(
    service('() => new Promise(() => {})'),
    /src\/services\/word\.ts\b.* waits |src\/services\/word\.ts\b.* never /,
  ),
  'a module that changes the working directory and throws': text(
    `${textRoute('broken')}\nprocess.chdir('/');\nthrow new Error('half done');`,
    /^ +FWK\d{3} src\/api\/x\.ts:5: throws when it is imported: half done\./m,
  ),
};

/** Part of every project: a route that no case changes, and a failing route. */
const always = {
  'web/witness.ts': textRoute('witness'),
  'web/fails.ts': route('get', `() => { throw new Error('as ever'); }`),
};

const test = suite('broken edits');
const serve = sharing(test);
const edited = (files: Files, act: (running: Running) => Promise<void>) =>
  serve({ ...always, ...files }, act);

function change(project: Project, changes: Changes): void {
  for (const [name, text] of Object.entries(changes))
    if (text !== null) project.write(name, text);
    else if (project.exists(name)) project.remove(name);
}

/** Makes the edit and waits for the complete message. */
async function breakIt({ server, made }: Running, breaks: Changes, ...told: RegExp[]): Promise<void> {
  const from = server.output.mark();
  change(made, breaks);
  for (const sentence of told) await server.waitFor(sentence, from);
  await server.waitFor(/still serving the last good version/, from);
  const printed = server.output.all.slice(from);
  assert.not.ok(/^\s+at |node:internal|\[object /m.test(printed), printed);
}

/** Makes the edit and waits until it is served. */
async function mend({ server, made }: Running, changes: Changes): Promise<void> {
  const from = server.output.mark();
  const names = Object.keys(changes).filter(
    (name) => (made.exists(name) ? made.read(name) : null) !== changes[name],
  );
  if (names.length === 0) return;
  change(made, changes);
  const labels = names.map((name) => made.label(name).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|');
  await server.waitFor(new RegExp(`reloaded [^\\n]*(?:${labels})`), from);
  if (names.length === 1) return;
  // The first file may be seen before the others; that version may already contain them, and no message follows.
  made.write('web/later.ts', textRoute(`later ${from}`));
  await server.waitFor(/reloaded [^\n]*later\.ts/, from);
}

/** Whether error pages and problem documents mention that the last edit is not served. */
async function saysOutdated({ server, json }: Running, expected: boolean): Promise<void> {
  assert.is(await json('/witness'), 'witness');
  const page = await request(server.url, '/none', { headers: { accept: 'text/html' } });
  assert.is(page.text.includes('The last edit is not served'), expected, page.text);
  const from = server.output.mark();
  const failed = await request(server.url, '/fails', { headers: { accept: 'text/html' } });
  assert.is(failed.text.includes('The last edit is not served'), expected, failed.text);
  const problem = (await request(server.url, '/fails')).json;
  assert.is('outdated' in Object(problem), expected, JSON.stringify(problem));
  // Waits for the messages of these two requests, so that the next edit's message is not confused with them.
  await server.waitFor(/(GET \/fails failed[\s\S]*?\n {4}at [\s\S]*){2}/, from);
}

/** The files that the harness itself writes. */
const original: Changes = { 'package.json': '{ "private": true, "type": "module" }\n' };

for (const [name, { files, breaks, told, mends, deletes }] of sampled(Object.entries(cases), 3))
  test(name, () =>
    edited(files, async (running) => {
      /** Every file that the case touches, as it was. */
      const before = Object.fromEntries(
        Object.keys({ ...breaks, ...mends }).map((name) => [name, files[name] ?? original[name] ?? null]),
      );
      const answers = async (expected: string) => assert.is(await running.json('/api/x'), expected);
      await answers('good');
      await breakIt(running, breaks, ...told);
      await answers('good');
      await saysOutdated(running, true);
      if (mends) {
        await mend(running, mends);
        await answers('mended');
        await saysOutdated(running, false);
        await mend(running, before);
        await breakIt(running, breaks, ...told);
      }
      // The text that is served already is no change to it, but the mistake is gone.
      await mend(running, before);
      await answers('good');
      await saysOutdated(running, false);
      if (deletes) {
        await breakIt(running, breaks, ...told);
        await mend(running, Object.fromEntries(deletes.map((file) => [file, null])));
        await saysOutdated(running, false);
      }
      await mend(running, { 'web/after.ts': textRoute('after') });
      assert.is(await running.json('/after'), 'after');
    }),
  );

test('two broken files are reported together, and after one is fixed, the other alone', () =>
  edited({ 'api/a.ts': textRoute('a'), 'api/b.ts': textRoute('b') }, async (running) => {
    const { server, json } = running;
    const [a, b] = [/src\/api\/a\.ts:\d+: does not parse/, /src\/api\/b\.ts: has no default export/];
    await breakIt(running, { 'api/a.ts': 'export default get(' }, a);
    await breakIt(running, { 'api/b.ts': 'export {};' }, a, b, /^2 problems/m);
    const from = server.output.mark();
    await breakIt(running, { 'api/a.ts': textRoute('new a') }, b, /^1 problem /m);
    assert.not.match(server.output.all.slice(from), a);
    const page = await request(server.url, '/none', { headers: { accept: 'text/html' } });
    assert.match(page.text, 'src/api/b.ts: has no default export');
    assert.not.match(page.text, 'src/api/a.ts');
    await mend(running, { 'api/b.ts': textRoute('new b') });
    for (const name of ['a', 'b']) assert.is(await json(`/api/${name}`), `new ${name}`);
  }));

test('an invalid line of .env is reported', () =>
  edited({ 'api/word.ts': route('get', '() => process.env.WORD'), '.env': 'WORD=old\n' }, async (running) => {
    await breakIt(running, { '.env': 'WORD=new\nthis is no line\n' }, /\.env:2: is not a variable/);
    await mend(running, { '.env': 'WORD=new\n' });
    assert.is(await running.json('/api/word'), 'new');
  }));

test('a template that does not parse fails only the routes that render it', () =>
  edited(
    {
      'web/page.ts': module('get, view', `export default get(() => view('page'));`),
      'views/page.eta': 'good',
    },
    async ({ server, made }) => {
      const from = server.output.mark();
      made.write('views/page.eta', '<p>\n<%= it.name \n</p>');
      assert.is((await request(server.url, '/page')).status, 500);
      await server.waitFor(/views\/page\.eta:2 does not parse/, from);
      assert.is((await request(server.url, '/witness')).status, 200);
      made.write('views/page.eta', 'mended');
      assert.is((await request(server.url, '/page')).text, 'mended');
    },
  ));

test.run();
