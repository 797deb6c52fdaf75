import { renameSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { type Files, type Project, project } from '../../harness/project.js';
import { running } from '../../harness/running.js';
import { unsampled } from '../../harness/sample.js';
import { TSCONFIG } from '../../harness/settings.js';
import { configFile, module, route } from '../../harness/source.js';
import { compared, tsc, unreported } from '../../harness/tsc.js';
import { right, templates, wrong } from './views-names.js';

const types = '.fwk/types.d.ts';
const shows = (name: string): Files => ({ 'web/page.get.ts': route('get, view', `() => view('${name}')`) });

/** The templates that the generated types know, by name. */
const known = (made: Project): Record<string, string> =>
  Object.fromEntries(
    [
      ...(/ {2}interface Views \{\n(.*?) {2}\}/s.exec(made.read(types))?.[1] ?? '').matchAll(
        /^ {4}readonly (".*"): (".*");$/gm,
      ),
    ].map(([, name = '', file = '']) => [JSON.parse(name), JSON.parse(file)]),
  );

async function written(files: Files): Promise<Project> {
  const made = project(files);
  const { status, stderr } = await fwk(made, 'types');
  assert.equal([status, stderr], [0, '']);
  return made;
}

const test = suite('template names');

test('an unknown template name does not compile', async () => {
  const made = await written({ ...templates, ...right, ...wrong });
  const diagnostics = await tsc(made);
  assert.equal(compared(made, diagnostics, wrong), { missing: [], surplus: [] });
  assert.equal(unreported(diagnostics, wrong), []);
});

unsampled(test)('without templates, and without the plugin, every text is a valid name', async () => {
  const off = {
    'fwk.config.ts': configFile(`{ disable: ['views'] }`),
  };
  for (const files of [{ 'views/style.css': '' }, { ...off, 'views/home.eta': '' }]) {
    const made = await written({ ...files, ...shows('anything') });
    assert.equal(known(made), {});
    assert.equal(await tsc(made), []);
  }
});

unsampled(test)('templates of another engine have its extension', async () => {
  const config = configFile(`{ views: { extension: 'html.tpl' } }`);
  const made = await written({
    'fwk.config.ts': config,
    'views/mail/letter.html.tpl': '',
    'views/home.eta': '',
  });
  assert.equal(known(made), { 'mail/letter': 'mail/letter.html.tpl' });
});

unsampled(test)('follows links, but not in a cycle, and ignores broken links', async () => {
  const made = project({ 'views/a/one.eta': '', 'shared/two.eta': '', 'views/it"s.eta': '' });
  const link = (to: string, name: string) => symlinkSync(to, path.join(made.root, 'views', name));
  link('../shared', 'linked');
  link('../../views', 'a/circle');
  link('..', 'a/up');
  link('self', 'self');
  link('nowhere', 'gone.eta');
  link('a/one.eta', 'file.eta');
  assert.is((await fwk(made, 'types')).status, 0);
  assert.equal(Object.keys(known(made)), ['a/one', 'file', 'it"s', 'linked/two']);
});

test('fwk types --check and fwk build reject an unknown name and print it', async () => {
  const made = project({ ...templates, ...shows('users/lst'), 'tsconfig.json': TSCONFIG });
  for (const command of [['types', '--check'], ['build']]) {
    const { status, stdout, stderr } = await fwk(made, ...command);
    assert.is(status, 1);
    assert.match(stdout + stderr, /src\/web\/page\.get\.ts.*TS2345.*"users\/lst".*/);
  }
});

test('fwk dev rewrites the types when a template is added, removed or renamed, and keeps serving', async () => {
  const life = `export default service((ctx, { onDestroy }) => {
  console.log('[made]');
  onDestroy(() => console.log('[destroyed]'));
  return 1;
});`;
  const files = {
    'services/life.ts': module('service', life),
    'web/page.get.ts': route('get, view', `(req, res, ctx) => view('home', { life: ctx.life })`),
  };
  await running(files, async ({ made, server }) => {
    /** Resolves with the generated types after the save of `file` was reported. */
    const saved = async (file: string, change: () => void): Promise<string[]> => {
      const from = server.output.mark();
      change();
      await server.waitFor(new RegExp(`^reloaded .*${file}.*$`, 'm'), from);
      return Object.keys(known(made));
    };
    assert.equal(known(made), {});
    assert.equal(await saved('home', () => made.write('views/home.eta', 'one')), ['home']);
    assert.is((await server.fetch('/page')).status, 200);
    assert.equal(await saved('list', () => made.write('views/users/list.eta', '')), ['home', 'users/list']);
    const at = (name: string) => path.join(made.root, 'views', name);
    assert.equal(await saved('rows', () => renameSync(at('users/list.eta'), at('users/rows.eta'))), [
      'home',
      'users/rows',
    ]);
    assert.equal(await saved('rows', () => renameSync(at('users'), at('people'))), ['home', 'people/rows']);
    const before = made.mtime(types);
    assert.equal(await saved('home', () => made.write('views/home.eta', 'two')), ['home', 'people/rows']);
    assert.is(made.mtime(types), before);
    assert.equal(await saved('rows', () => rmSync(at('people'), { recursive: true })), ['home']);
    assert.equal(await saved('home', () => rmSync(at(''), { recursive: true })), []);
    assert.equal(server.output.all.match(/\[\w+\]/g), ['[made]']);
  });
});

unsampled(test)(
  'fwk dev does so too if templates are modules, and if the config names other ones',
  async () => {
    const config = (extension: string) => configFile(`{ views: { extension: '${extension}' } }`);
    await running({ 'fwk.config.ts': config('tsx'), ...shows('home') }, async ({ made, save }) => {
      await save({ 'views/home.tsx': 'export default 1;\n' });
      assert.equal(known(made), { home: 'home.tsx' });
      await save({ 'fwk.config.ts': config('eta') });
      assert.equal(known(made), {});
    });
  },
);

test.run();
