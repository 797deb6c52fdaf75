import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { edit, reloads } from '../../harness/edit.js';
import type { Files } from '../../harness/project.js';
import { reportedChanges } from '../../harness/reported-changes.js';
import { served } from '../../harness/served.js';
import { route, textRoute } from '../../harness/source.js';

// fwk dev sees files that are added, deleted and moved; a burst of events is one reload. Linked files count as inside
// the project.

/** Milliseconds after which `fwk dev` takes many changes for whole. */
const LONG_PAUSE_MS = 50;

/**
 * Saves a file; when that event arrives, saves another while the event loop is blocked for longer than the debounce
 * time.
 */
const BUSY = `import { renameSync, watch, writeFileSync } from 'node:fs';
import { get } from 'fwkit';
const save = (name) => {
  const file = new URL(import.meta.url.replace('busy', name));
  writeFileSync(file.pathname + '.new', ${JSON.stringify(textRoute('busy'))});
  renameSync(file.pathname + '.new', file);
};
const sleep = (duration) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, duration);
export default get(() => new Promise((resolve) => {
  const watcher = watch(new URL('.', import.meta.url), (event, name) => {
    if (!name?.startsWith('first-half') || name.endsWith('.new')) return;
    watcher.close();
    setImmediate(() => {
      save('second-half');
      sleep(${4 * LONG_PAUSE_MS});
      resolve('saved');
    });
  });
  save('first-half');
}));
`;

const files: Files = {
  'api/first.ts': textRoute('first'),
  'lib/one.ts': 'export {};',
  'api/busy.ts': BUSY,
  'web/page.ts': route('get, view', `() => view('page')`),
  'views/page.eta': 'old',
  'tsconfig.json': '{ "extends": "./tsconfig.base" } // not JSON\n',
  'tsconfig.base.json': '{}\n',
  '.git/HEAD': 'ref: refs/heads/main\n',
};

served(files, (test, site) => {
  const { project } = site;
  const { last, changesOf } = reportedChanges(site);
  /** The directory of the routes. */
  const api = path.dirname(project.path('api/first.ts'));
  /** The file's name in this layout. */
  const name = (file: string) => path.basename(project.path(file));
  /** Makes a directory with a route outside of the source directory. */
  const elsewhere = (directory: string, text: string): string => {
    const made = path.join(project.root, `.${directory}`);
    mkdirSync(path.join(made, 'inner'), { recursive: true });
    writeFileSync(path.join(made, 'inner', name('api/here.ts')), textRoute(text));
    return made;
  };

  test('cp -r adds a directory with files', async () => {
    const from = elsewhere('copied', 'copied');
    const copy = () => cpSync(from, path.join(api, 'copied'), { recursive: true });
    await edit(site, copy, '/api/copied/inner/here', 'copied');
    await edit(
      site,
      () => project.write('api/copied/inner/here.ts', textRoute('edited')),
      '/api/copied/inner/here',
      'edited',
    );
  });

  test('mv adds a directory with files, which is then renamed and deleted', async () => {
    const from = elsewhere('moved', 'moved');
    const to = path.join(api, 'moved');
    await edit(site, () => renameSync(from, to), '/api/moved/inner/here', 'moved');
    const renamed = path.join(api, 'renamed');
    await edit(site, () => renameSync(to, renamed), '/api/renamed/inner/here', 'moved');
    assert.is((await site.raw('/api/moved/inner/here')).status, 404);
    const change = () => project.write('api/renamed/inner/here.ts', textRoute('edited'));
    await edit(site, change, '/api/renamed/inner/here', 'edited');
    await edit(site, () => rmSync(renamed, { recursive: true }), '/api/renamed/inner/here', 404);
  });

  test('a directory is deleted and created again, nested, with a file', async () => {
    for (const text of ['one', 'two', 'three']) {
      const make = () => project.write('api/a/b/c/deep.ts', textRoute(text));
      await edit(site, make, '/api/a/b/c/deep', text);
      const again = () => {
        rmSync(path.join(api, 'a'), { recursive: true });
        project.write('api/a/b/c/deep.ts', textRoute(`${text} again`));
      };
      await edit(site, again, '/api/a/b/c/deep', `${text} again`);
      await edit(site, () => rmSync(path.join(api, 'a'), { recursive: true }), '/api/a/b/c/deep', 404);
    }
  });

  test('a route may be in a directory named dist', async () => {
    await edit(site, () => project.write('api/dist/get.ts', textRoute('one')), '/api/dist', 'one');
    await edit(site, () => project.write('api/dist/get.ts', textRoute('two')), '/api/dist', 'two');
  });

  test('300 changed files, as in a checkout, cause one reload, or two at most', async () => {
    let pauses = 0;
    const write = (text: string) => {
      let before = performance.now();
      for (let at = 0; at < 300; at++) {
        project.write(`api/many/m${at}.ts`, textRoute(`${text} ${at}`));
        // Where this process was kept from running, files did not change at once.
        const now = performance.now();
        if (now - before > LONG_PAUSE_MS) pauses += 1;
        before = now;
      }
    };
    const from = site.dev.output.mark();
    await edit(site, () => write('one'), '/api/many/m299', 'one 299');
    await edit(site, () => write('two'), '/api/many/m299', 'two 299');
    await last();
    const count = reloads(site, from).length;
    assert.ok(count <= 2 + 2 + 1 + pauses, `${count} reloads, ${pauses} pauses`);
    await edit(site, () => rmSync(path.join(api, 'many'), { recursive: true }), '/api/many/m0', 404);
    // Removing them all may take longer than until the first is gone.
    await last();
  });

  test('changes while the process is blocked belong to one reload', async () => {
    const from = site.dev.output.mark();
    await edit(site, () => site.raw('/api/busy'), '/api/second-half', 'busy');
    await last();
    const halves = ['first-half', 'second-half'].map((file) => project.label(`api/${file}.ts`));
    assert.equal(reloads(site, from).slice(0, -1), [halves.join(', ')]);
  });

  test('a checkout that pauses is one reload because of the lock file of Git', async () => {
    const lock = path.join(project.root, '.git/index.lock');
    // Two that come at one moment: a single file is not waited for.
    const checkout = mkdtempSync(path.join(project.root, '.checkout-'));
    for (const file of ['one.ts', 'two.ts']) writeFileSync(path.join(checkout, name(file)), 'export {};');
    const from = site.dev.output.mark();
    writeFileSync(lock, '');
    renameSync(checkout, path.join(path.dirname(api), 'checkout'));
    await pause(3 * LONG_PAUSE_MS);
    project.write('checkout/three.ts', 'export {};');
    rmSync(lock);
    await site.dev.waitFor(/three.*no code changed/, from);
    const names = ['one.ts', 'three.ts', 'two.ts'].map((file) => project.label(`checkout/${file}`));
    assert.equal(reloads(site, from), [names.join(', ')]);
  });

  test('endless changes are reloaded from time to time', async () => {
    let ended = false;
    const stream = (async () => {
      for (let turn = 0; !ended; turn++) {
        // Written atomically, so that each reload finds a complete module.
        for (const file of [project.path('api/first.ts'), project.path('api/endless.ts')]) {
          writeFileSync(`${file}.new`, textRoute(`turn ${turn}`));
          renameSync(`${file}.new`, file);
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const from = site.dev.output.mark();
    try {
      await site.dev.waitFor(/reloaded[\s\S]*reloaded/, from);
    } finally {
      ended = true;
      await stream;
    }
    await last();
  });

  for (const [file, text] of [
    ['.env', 'COLOUR=red\n'],
    ['.env.local', 'COLOUR=blue\n'],
    ['tsconfig.json', '{ "extends": ["./tsconfig.base.json"] }\n'],
    ['tsconfig.base.json', '{ "compilerOptions": {} }\n'],
    ['package.json', '{ "private": true, "type": "module", "name": "renamed" }\n'],
    ['fwk.config.ts', 'export default {};\n'],
    ['views/page.eta', 'new'],
    ['views/deep/partial.eta', 'partial'],
  ] as const) {
    test(`a change of ${file} causes a reload`, async () => {
      assert.equal(await changesOf(() => project.write(file, text)), [project.label(file)]);
    });
  }

  test('changes outside the project cause no reload', async () => {
    const saved = project.path('api/first.ts');
    await edit(site, () => project.write('api/first.ts', textRoute('saved')), '/api/first', 'saved');
    await last();
    const noise = () => {
      project.write('notes.txt', 'text');
      project.write('data/rows.json', '[]');
      project.write('node_modules/some/index.js', 'export {};');
      project.write('dist/main.js', 'export {};');
      project.write('.cache/made.js', 'export {};');
      project.write('views/.page.eta.swp', 'swap');
      project.write('views/page.eta~', 'backup');
      project.write('types.d.ts', 'export {};');
      project.write('api/passing.ts', textRoute('passing'));
      project.remove('api/passing.ts');
      chmodSync(saved, 0o600);
      symlinkSync('ada@host.4711:1700000000', `${api}/.#${path.basename(saved)}`);
    };
    assert.equal(await changesOf(noise), []);
  });

  test('notices a save of the same length within one clock tick and with the old timestamps', async () => {
    const saved = project.path('api/first.ts');
    const then = new Date(1_700_000_000_000);
    utimesSync(saved, then, then);
    await last();
    for (const text of ['aa', 'bb', 'cc']) {
      const change = () => {
        writeFileSync(saved, textRoute(text));
        utimesSync(saved, then, then);
      };
      await edit(site, change, '/api/first', text);
    }
  });

  test('notices an edit behind a symbolic link, and a changed link', async () => {
    const target = path.join(project.root, '.target.js');
    const other = path.join(project.root, '.other.js');
    const link = path.join(api, name('api/linked.ts'));
    writeFileSync(target, textRoute('one'));
    writeFileSync(other, textRoute('other'));
    await edit(site, () => symlinkSync(target, link), '/api/linked', 'one');
    await edit(site, () => writeFileSync(target, textRoute('two')), '/api/linked', 'two');
    const turn = () => {
      rmSync(link);
      symlinkSync(other, link);
    };
    await edit(site, turn, '/api/linked', 'other');
    await edit(site, () => writeFileSync(other, textRoute('other two')), '/api/linked', 'other two');
    await edit(site, () => rmSync(link), '/api/linked', 404);
  });

  test('a file in a linked directory is edited, added and deleted', async () => {
    const target = elsewhere('shared', 'one');
    const file = path.join(target, 'inner', name('api/here.ts'));
    const added = path.join(target, 'inner', name('api/added.ts'));
    await edit(site, () => symlinkSync(target, path.join(api, 'shared')), '/api/shared/inner/here', 'one');
    await edit(site, () => writeFileSync(file, textRoute('two')), '/api/shared/inner/here', 'two');
    await edit(site, () => writeFileSync(added, textRoute('added')), '/api/shared/inner/added', 'added');
    await edit(site, () => rmSync(added), '/api/shared/inner/added', 404);
    const again = () => {
      rmSync(target, { recursive: true });
      elsewhere('shared', 'three');
    };
    await edit(site, again, '/api/shared/inner/here', 'three');
    await edit(site, () => writeFileSync(file, textRoute('four')), '/api/shared/inner/here', 'four');
    await edit(site, () => rmSync(path.join(api, 'shared')), '/api/shared/inner/here', 404);
  });

  test('broken and circular links are harmless, and apply once they resolve', async () => {
    const target = path.join(project.root, '.later.js');
    const lib = path.dirname(project.path('lib/one.ts'));
    const circle = path.join(lib, name('circle.ts'));
    const made = [circle, path.join(lib, 'up'), path.join(lib, name('nowhere.ts'))];
    symlinkSync(circle, circle);
    symlinkSync(project.root, path.join(lib, 'up'));
    symlinkSync(target, path.join(lib, name('nowhere.ts')));
    await last();
    assert.match(String(await changesOf(() => writeFileSync(target, 'export {};'))), 'nowhere');
    for (const file of made) rmSync(file);
  });

  test('notices an edit of a module outside of the root, also after its directory was deleted', async () => {
    const directory = `${project.root}-shared`;
    const shared = path.join(directory, name('lib/words.ts'));
    const write = (word: string) => {
      mkdirSync(directory, { recursive: true });
      writeFileSync(shared, `export const word = '${word}';\n`);
    };
    write('one');
    const importing = `import { word } from '${path.relative(api, shared).replace(/ts$/, 'js')}';\n${route('get', '() => word')}`;
    await edit(site, () => project.write('api/word.ts', importing), '/api/word', 'one');
    await edit(site, () => write('two'), '/api/word', 'two');
    const from = site.dev.output.mark();
    rmSync(directory, { recursive: true });
    await site.dev.waitFor(/still serving/, from);
    await edit(site, () => write('three'), '/api/word', 'three');
    await edit(site, () => write('four'), '/api/word', 'four');
    project.remove('api/word.ts');
    rmSync(directory, { recursive: true });
    await last();
  });
});
