import {
  chmodSync,
  closeSync,
  copyFileSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { edit, reloads } from '../../harness/edit.js';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { configFile, textRoute } from '../../harness/source.js';

/** Writes a file's new text as some program does. */
type Save = (file: string, text: string) => void | Promise<void>;

const beside = (file: string, name: string) => path.join(path.dirname(file), name);

/** Ways to save, by name. */
const saves: Readonly<Record<string, Save>> = {
  'a plain write, as VS Code does': (file, text) => writeFileSync(file, text),

  'vim, with a backup and its probe': (file, text) => {
    writeFileSync(beside(file, '4913'), '');
    rmSync(beside(file, '4913'));
    writeFileSync(beside(file, `.${path.basename(file)}.swp`), 'swap');
    renameSync(file, `${file}~`);
    writeFileSync(file, text);
    chmodSync(file, 0o644);
    rmSync(`${file}~`);
    rmSync(beside(file, `.${path.basename(file)}.swp`));
  },

  'vim, with a copy as backup': (file, text) => {
    copyFileSync(file, `${file}~`);
    writeFileSync(file, text);
    rmSync(`${file}~`);
  },

  'Emacs, with a lock and a backup': (file, text) => {
    const lock = beside(file, `.#${path.basename(file)}`);
    symlinkSync('ada@host.4711:1700000000', lock);
    writeFileSync(beside(file, `#${path.basename(file)}#`), text);
    renameSync(file, `${file}~`);
    writeFileSync(file, text);
    rmSync(lock);
    rmSync(beside(file, `#${path.basename(file)}#`));
  },

  'sed -i': (file, text) => {
    const temporary = beside(file, 'sedA1b2C3');
    writeFileSync(temporary, text);
    renameSync(temporary, file);
  },

  'an atomic write through a module-like name': (file, text) => {
    const temporary = beside(file, `tmp-4711${path.extname(file)}`);
    writeFileSync(temporary, text);
    renameSync(temporary, file);
  },

  'a JetBrains safe write': (file, text) => {
    writeFileSync(`${file}___jb_tmp___`, text);
    renameSync(file, `${file}___jb_old___`);
    renameSync(`${file}___jb_tmp___`, file);
    rmSync(`${file}___jb_old___`);
  },

  'deleted, then written': (file, text) => {
    rmSync(file);
    writeFileSync(file, text);
  },

  'truncate, then write in two pieces': (file, text) => {
    const handle = openSync(file, 'r+');
    ftruncateSync(handle, 0);
    const half = Math.floor(text.length / 2);
    writeSync(handle, text.slice(0, half));
    writeSync(handle, text.slice(half));
    closeSync(handle);
  },

  'empty for 20 ms': async (file, text) => {
    const handle = openSync(file, 'w');
    await pause(20);
    writeSync(handle, text);
    closeSync(handle);
  },

  'gone for 10 ms': async (file, text) => {
    renameSync(file, `${file}~`);
    await pause(10);
    writeFileSync(file, text);
  },

  'saved, then formatted within a millisecond': (file, text) => {
    writeFileSync(file, `${text}\n\n\n`);
    readFileSync(file);
    writeFileSync(file, text);
  },
};

// fwk dev: a save shows at the next request, every way of saving is seen, and no request pays for it.

const files: Files = {
  'api/hello.ts': textRoute('one'),
  'web/page.ts': textRoute('page'),
  'api/saved.ts': textRoute('saved'),
};

served(files, (test, site) => {
  const { project } = site;
  const json = async (path: string) => (await site.raw(path)).json;

  test('a route is edited, added and deleted', async () => {
    assert.is(await json('/api/hello'), 'one');
    await edit(site, () => project.write('api/hello.ts', textRoute('two')), '/api/hello', 'two');
    assert.is((await site.raw('/api/more/new')).status, 404);
    await edit(site, () => project.write('api/more/new.ts', textRoute('new')), '/api/more/new', 'new');
    assert.match(project.read('.fwk/types.d.ts'), '/api/more/new');
    await edit(site, () => project.remove('api/more/new.ts'), '/api/more/new', 404);
    assert.not.match(project.read('.fwk/types.d.ts'), '/api/more/new');
  });

  test('a config is added, changed and deleted', async () => {
    const config = (text: string) => configFile(`${text}`);
    await edit(site, () => project.write('fwk.config.ts', config(`{ disable: ['web'] }`)), '/page', 404);
    const from = site.dev.output.mark();
    project.write('fwk.config.ts', config(`{ disabled: ['web'] }`));
    await site.dev.waitFor(/has an unknown key "disabled"/, from);
    await edit(site, () => project.remove('fwk.config.ts'), '/page', 'page');
  });

  for (const [name, save] of Object.entries(saves)) {
    test(`each save causes one reload: ${name}`, async () => {
      const from = site.dev.output.mark();
      for (let turn = 1; turn <= 5; turn++) {
        const text = `${name} ${turn}`;
        await edit(site, () => save(project.path('api/saved.ts'), textRoute(text)), '/api/saved', text);
      }
      const reported = reloads(site, from);
      assert.equal([...new Set(reported)], [project.label('api/saved.ts')]);
      // Two of five saves may have been interrupted halfway, on a machine that is busy.
      assert.ok(reported.length <= 7, `${reported.length} reloads`);
    });

    test(`the next request gets the saved version: ${name}`, async () => {
      for (let turn = 1; turn <= 5; turn++) {
        await save(project.path('api/saved.ts'), textRoute(`at once, ${turn}`));
        assert.is(await json('/api/saved'), `at once, ${turn}`);
      }
    });
  }
});
