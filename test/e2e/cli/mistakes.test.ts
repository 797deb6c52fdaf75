import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mistaken } from '../../harness/failed-start.js';
import { fwk } from '../../harness/fwk.js';
import { casesIn, layouts, project } from '../../harness/project.js';
import { assertReported, refusal } from '../../harness/refusal.js';
import { route, tells } from '../../harness/source.js';
import { mistakes } from './mistakes.js';

const get = tells('get', 'here');

// Mistakes of one project, from every phase of a boot.
const together = [
  'a suffix that differs from the wrapper',
  'a file and a directory for one route',
  'one route in api and in web',
  'one route in two groups',
  'a module that throws',
  'an unclosed bracket',
  'a catch-all that is not last',
  'a provider without its wrapper',
  'two providers for one key',
];

for (const layout of layouts) {
  const test = suite(layout);
  const source = (text: string) => text.replaceAll('SRC/', layout === 'ts' ? 'src/' : '');

  for (const [name, { files, messages }] of casesIn(layout, mistakes)) {
    test(name, async () => {
      const made = project(files, layout);
      const stderr = await refusal(made, 'routes');
      for (const [file, sentence] of Object.entries(messages))
        assertReported(stderr, made, file, source(sentence));
      const count = Object.keys(messages).length;
      assert.match(stderr, `${count} ${count === 1 ? 'problem' : 'problems'} in `);
    });
  }

  test('one run reports many mistakes in a stable order', async () => {
    const all: Record<string, string> = { 'api/fine.get.ts': get };
    for (const mistake of together) Object.assign(all, mistakes[mistake]?.files);
    const messages = together.flatMap((mistake) => Object.entries(mistakes[mistake]?.messages ?? {}));
    const made = project(all, layout);
    const stderr = await refusal(made, 'routes');
    for (const [file, sentence] of messages) assertReported(stderr, made, file, source(sentence));
    assert.match(stderr, `${messages.length} problems in `);
    const again = project(Object.fromEntries(Object.entries(all).reverse()), layout);
    assert.is((await refusal(again, 'routes')).replaceAll(again.root, ''), stderr.replaceAll(made.root, ''));
  });

  test('fwk dev reports the same mistakes and serves them as a page', async () => {
    const made = project({ 'api/login.post.ts': get, 'api/x.ts': 'export default 1;' }, layout);
    const stderr = await mistaken(made);
    assertReported(stderr, made, 'api/login.post.ts', 'is named for POST but exports get(). ');
    assertReported(stderr, made, 'api/x.ts', 'has a default export that is not wrapped. ');
  });

  test('a project with valid routes is not rejected for a file that is no route', async () => {
    const made = project({ 'api/x.ts': route('get', '() => 1'), 'lib/broken.ts': 'throw 1;' }, layout);
    assert.equal(await fwk(made, 'routes'), { status: 0, stdout: 'GET /api/x\n', stderr: '' });
  });

  test.run();
}
