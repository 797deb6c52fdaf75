import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as assert from 'uvu/assert';
import { edit } from '../../harness/edit.js';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { route } from '../../harness/source.js';
import { says, watched } from './watched.js';

// fwk dev: what links lead to, and what is outside of the project, is seen as if it were inside.

const files: Files = { 'api/first.ts': says('first'), 'lib/one.ts': 'export {};' };

served(files, (test, site) => {
  const { project, api, name, last, toldOf, elsewhere } = watched(site);

  test('a file behind a link is edited, and the link turned elsewhere', async () => {
    const target = path.join(project.root, '.target.js');
    const other = path.join(project.root, '.other.js');
    const link = path.join(api, name('api/linked.ts'));
    writeFileSync(target, says('one'));
    writeFileSync(other, says('other'));
    await edit(site, () => symlinkSync(target, link), '/api/linked', 'one');
    await edit(site, () => writeFileSync(target, says('two')), '/api/linked', 'two');
    const turn = () => {
      rmSync(link);
      symlinkSync(other, link);
    };
    await edit(site, turn, '/api/linked', 'other');
    await edit(site, () => writeFileSync(other, says('other two')), '/api/linked', 'other two');
    await edit(site, () => rmSync(link), '/api/linked', 404);
  });

  test('a file in a linked directory is edited, added and deleted', async () => {
    const target = elsewhere('shared', 'one');
    const file = path.join(target, 'inner', name('api/here.ts'));
    const added = path.join(target, 'inner', name('api/added.ts'));
    await edit(site, () => symlinkSync(target, path.join(api, 'shared')), '/api/shared/inner/here', 'one');
    await edit(site, () => writeFileSync(file, says('two')), '/api/shared/inner/here', 'two');
    await edit(site, () => writeFileSync(added, says('added')), '/api/shared/inner/added', 'added');
    await edit(site, () => rmSync(added), '/api/shared/inner/added', 404);
    const again = () => {
      rmSync(target, { recursive: true });
      elsewhere('shared', 'three');
    };
    await edit(site, again, '/api/shared/inner/here', 'three');
    await edit(site, () => writeFileSync(file, says('four')), '/api/shared/inner/here', 'four');
    await edit(site, () => rmSync(path.join(api, 'shared')), '/api/shared/inner/here', 404);
  });

  test('links that lead nowhere or in a circle harm nothing, and count once they lead somewhere', async () => {
    const target = path.join(project.root, '.later.js');
    const lib = path.dirname(project.path('lib/one.ts'));
    const circle = path.join(lib, name('circle.ts'));
    const made = [circle, path.join(lib, 'up'), path.join(lib, name('nowhere.ts'))];
    symlinkSync(circle, circle);
    symlinkSync(project.root, path.join(lib, 'up'));
    symlinkSync(target, path.join(lib, name('nowhere.ts')));
    await last();
    assert.match(String(await toldOf(() => writeFileSync(target, 'export {};'))), 'nowhere');
    for (const file of made) rmSync(file);
  });

  test('a module outside of the root is edited, also after its directory was gone', async () => {
    const directory = `${project.root}-shared`;
    const shared = path.join(directory, name('lib/words.ts'));
    const write = (word: string) => {
      mkdirSync(directory, { recursive: true });
      writeFileSync(shared, `export const word = '${word}';\n`);
    };
    write('one');
    const importing = `import { word } from '${path.relative(api, shared)}';\n${route('get', '() => word')}`;
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
