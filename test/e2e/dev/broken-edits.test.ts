import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Dev, dev } from '../../harness/fwk.js';
import { request } from '../../harness/http.js';
import { type Project, project } from '../../harness/project.js';
import { sampled } from '../../harness/sample.js';
import { module, route } from '../../harness/source.js';
import { type Broken, brokenModules, type Changes } from './broken-modules.js';
import { brokenParts } from './broken-parts.js';

// fwk dev: a broken edit keeps the last good version and says what is wrong; mending it is enough.

const says = (text: string) => route('get', `() => '${text}'`);

/** In every project: a route that no case touches, and one that fails. */
const always = {
  'web/witness.ts': says('witness'),
  'web/fails.ts': route('get', `() => { throw new Error('as ever'); }`),
};

interface Edited {
  readonly server: Dev;
  readonly made: Project;
}

/** A server of its own per case: what one leaves behind is not the next one's. */
async function edited(files: Broken['files'], act: (edited: Edited) => Promise<void>): Promise<void> {
  const made = project({ ...always, ...files });
  const server = await dev(made);
  try {
    await act({ server, made });
  } catch (failure) {
    // It may wait for ever for what was broken.
    await server.stop('SIGKILL').catch(() => {});
    throw failure;
  }
  await server.stop();
}

function change(made: Project, changes: Changes): void {
  for (const [name, text] of Object.entries(changes))
    if (text !== null) made.write(name, text);
    else if (made.exists(name)) made.remove(name);
}

/** Makes the edit and waits until the terminal has told it in full. */
async function breakIt({ server, made }: Edited, { breaks, told }: Broken): Promise<void> {
  const from = server.output.mark();
  change(made, breaks);
  for (const sentence of told) await server.waitFor(sentence, from);
  await server.waitFor(/still serving the last good version/, from);
  const printed = server.output.all.slice(from);
  assert.not.ok(/^\s+at |node:internal|\[object /m.test(printed), printed);
}

/** Makes the edit and waits until it is served. */
async function mend({ server, made }: Edited, changes: Changes): Promise<void> {
  const from = server.output.mark();
  const names = Object.keys(changes).filter((name) => storableText(made, name) !== changes[name]);
  if (names.length === 0) return;
  change(made, changes);
  const labels = names.map((name) => escaped(made.label(name))).join('|');
  await server.waitFor(new RegExp(`reloaded [^\\n]*(?:${labels})`), from);
  if (names.length === 1) return;
  // The first may be seen before the others. That version may have those already: nothing is told of them then.
  made.write('web/later.ts', says(`later ${from}`));
  await server.waitFor(/reloaded [^\n]*later\.ts/, from);
}

const storableText = (made: Project, name: string): string | null =>
  made.exists(name) ? made.read(name) : null;

const escaped = (literal: string): string => literal.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

async function answers(
  { server }: Edited,
  { path = '/api/x', method = 'GET' }: Broken,
  expected: string,
): Promise<void> {
  const { status, text } = await request(server.url, path, { method });
  assert.equal([status, text], [200, JSON.stringify(expected)], `${method} ${path}`);
}

/** Whether pages and problem documents of errors say that the last edit is not served. */
async function saysOutdated({ server }: Edited, expected: boolean): Promise<void> {
  assert.is((await request(server.url, '/witness')).json, 'witness');
  const page = await request(server.url, '/none', { headers: { accept: 'text/html' } });
  assert.is(page.text.includes('The last edit is not served'), expected, page.text);
  const from = server.output.mark();
  const failed = await request(server.url, '/fails', { headers: { accept: 'text/html' } });
  assert.is(failed.text.includes('The last edit is not served'), expected, failed.text);
  const problem = (await request(server.url, '/fails')).json;
  assert.is('outdated' in Object(problem), expected, JSON.stringify(problem));
  // What is told of these two is not to be taken for what is told of the next edit.
  await server.waitFor(/(GET \/fails failed[\s\S]*?\n {4}at [\s\S]*){2}/, from);
}

/** Every file that a case touches, as it was. */
const before = ({ files, breaks, mends }: Broken): Changes =>
  Object.fromEntries(
    Object.keys({ ...breaks, ...mends }).map((name) => [name, files[name] ?? original[name] ?? null]),
  );

/** What the harness writes itself. */
const original: Changes = { 'package.json': '{ "private": true, "type": "module" }\n' };

const test = suite('broken edits');

for (const [name, broken] of sampled(Object.entries({ ...brokenModules, ...brokenParts }), 2))
  test(name, () =>
    edited(broken.files, async (running) => {
      const { mends, deletes } = broken;
      await answers(running, broken, 'good');
      await breakIt(running, broken);
      await answers(running, broken, 'good');
      await saysOutdated(running, true);
      if (mends) {
        await mend(running, mends);
        await answers(running, broken, 'mended');
        await saysOutdated(running, false);
        await mend(running, before(broken));
        await breakIt(running, broken);
      }
      // The text that is served already is no change to it, but the mistake is gone.
      await mend(running, before(broken));
      await answers(running, broken, 'good');
      await saysOutdated(running, false);
      if (deletes) {
        await breakIt(running, broken);
        await mend(running, Object.fromEntries(deletes.map((file) => [file, null])));
        await saysOutdated(running, false);
      }
      await mend(running, { 'web/after.ts': says('after') });
      assert.is((await request(running.server.url, '/after')).json, 'after');
    }),
  );

test('two broken files are told together, and what is left of them after one is mended', () =>
  edited({ 'api/a.ts': says('a'), 'api/b.ts': says('b') }, async (running) => {
    const { server, made } = running;
    const [a, b] = [/src\/api\/a\.ts:\d+: does not parse/, /src\/api\/b\.ts: has no default export/];
    await breakIt(running, { files: {}, breaks: { 'api/a.ts': 'export default get(' }, told: [a] });
    await breakIt(running, { files: {}, breaks: { 'api/b.ts': 'export {};' }, told: [a, b, /^2 problems/m] });
    const from = server.output.mark();
    await breakIt(running, { files: {}, breaks: { 'api/a.ts': says('new a') }, told: [b, /^1 problem /m] });
    assert.not.match(server.output.all.slice(from), a);
    const page = await request(server.url, '/none', { headers: { accept: 'text/html' } });
    assert.match(page.text, 'src/api/b.ts: has no default export');
    assert.not.match(page.text, 'src/api/a.ts');
    await mend({ server, made }, { 'api/b.ts': says('new b') });
    for (const name of ['a', 'b']) assert.is((await request(server.url, `/api/${name}`)).json, `new ${name}`);
  }));

test('a line of .env that says nothing takes nothing from the others', () =>
  edited({ 'api/word.ts': route('get', '() => process.env.WORD'), '.env': 'WORD=old\n' }, async (running) => {
    await mend(running, { '.env': 'this is no line\n=\nWORD=new\n' });
    assert.is((await request(running.server.url, '/api/word')).json, 'new');
  }));

test('a template that does not parse is told by who asks for it, and others are not concerned', () =>
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
