import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk, launch } from '../../harness/fwk.js';
import { type Files, type Project, project } from '../../harness/project.js';
import { compared, compilers, tsc, unreported } from '../../harness/tsc.js';
import { right, templates, wrong } from './views-names.js';

const compiler = compilers['5.9']?.() ?? '';

async function written(files: Files): Promise<Project> {
  const made = project({ ...templates, ...files });
  assert.is((await fwk(made, 'types')).status, 0);
  return made;
}

const test = suite('template names in editors');

test('an unknown template name does not compile', async () => {
  const made = await written({ ...right, ...wrong });
  const diagnostics = await tsc(made, compiler);
  assert.equal(compared(made, diagnostics, wrong), { missing: [], surplus: [] });
  assert.equal(unreported(diagnostics, wrong), []);
});

test('an editor completes the names', async () => {
  const text = "import { get, view } from 'fwkit';\nexport default get(() => view(''));\n";
  const made = await written({ 'web/page.get.ts': text });
  await tsc(made);
  const { child: editor, output } = launch(
    process.execPath,
    [path.join(compiler, '../../lib/tsserver.js')],
    made.root,
    'pipe',
  );
  const file = made.path('web/page.get.ts');
  const ask = (command: string, more: object) =>
    editor.stdin?.write(
      `${JSON.stringify({ seq: 0, type: 'request', command, arguments: { file, ...more } })}\n`,
    );
  ask('open', {});
  await output.waitFor(/"event":"projectLoadingFinish"/);
  ask('completionInfo', { line: 2, offset: (text.split('\n')[1]?.indexOf("''") ?? 0) + 2 });
  const [answer] = await output.waitFor(/^.*"command":"completionInfo".*\n/m);
  editor.stdin?.end();
  assert.equal(
    [...answer.matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name),
    ['home', 'layout', 'letter.txt', 'pages/about us', 'twice.eta.eta', 'users/_row', 'users/list'],
  );
});

test.run();
