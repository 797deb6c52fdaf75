import { readFileSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { listing } from '../../harness/listing.js';
import { layouts, project } from '../../harness/project.js';
import { refusal } from '../../harness/refusal.js';
import { tells } from '../../harness/source.js';

// fwk skills: an index that is always in view and a skill with all of it, in four formats; what is the project's stays the project's.

const files = { 'api/x.get.ts': tells('get', 'x') };
const editors = {
  claude: '.claude/skills/fwk/SKILL.md',
  cursor: '.cursor/rules/fwk.mdc',
  windsurf: '.windsurf/rules/fwk.md',
};
const begin = '<!-- fwk:begin -->';
const end = '<!-- fwk:end -->';

const report = (lines: readonly (readonly [outcome: string, file: string])[]): string =>
  lines.map(([outcome, file]) => `${outcome.padEnd(9)} ${file}\n`).join('');

/** The fields of a front matter, and what follows it, up to the line by which fwk knows its own files. */
function split(text: string): { fields: Record<string, string>; body: string } {
  const [, head = '', body = ''] =
    /^---\n([\s\S]*?)\n---\n\n([\s\S]*)\n<!-- fwk skills .* -->\n$/.exec(text) ?? [];
  const fields = head.split('\n').map((line) => /^(\w+):(?: (.*))?$/.exec(line) ?? []);
  return { fields: Object.fromEntries(fields.map(([, name, value = '']) => [name, value])), body };
}

for (const layout of layouts) {
  const test = suite(layout);

  test('the index and the skill, in the format of every editor', async () => {
    const made = project(files, layout);
    const result = await fwk(made, 'skills');
    const all = [...Object.values(editors), 'AGENTS.md'];
    assert.equal(result, { status: 0, stdout: report(all.map((file) => ['written', file])), stderr: '' });
    const claude = split(made.read(editors.claude));
    const cursor = split(made.read(editors.cursor));
    const windsurf = split(made.read(editors.windsurf));
    const description = claude.fields.description ?? '';
    assert.ok(description.length > 50 && description.length <= 1024);
    assert.not.match(description, /[:#"'<>]/);
    assert.equal(claude.fields, { name: 'fwk', description });
    assert.equal(cursor.fields, { description, globs: '', alwaysApply: 'true' });
    assert.equal(windsurf.fields, { trigger: 'always_on', description });
    assert.match(claude.body, /^# fwk\n/);
    assert.ok(claude.body.length > cursor.body.length);
    assert.is(windsurf.body, cursor.body);
    assert.is(made.read('AGENTS.md'), `${begin}\n${cursor.body.trimEnd()}\n${end}\n`);
    // What Windsurf reads of one rule.
    assert.ok(made.read(editors.windsurf).length < 12_000);
  });

  test('it speaks of the layout at hand', async () => {
    const made = project(files, layout);
    await fwk(made, 'skills', '--ide', 'codex');
    const text = made.read('AGENTS.md');
    assert.match(text, `// ${made.label('api/books/[id].post.ts')}`);
    if (layout === 'js') assert.not.match(text, /\.ts\b|src\/|TypeScript|HttpRequest|tsc\b/);
    else assert.match(text, 'TypeScript');
  });

  test('files of editors are kept without --force', async () => {
    const made = project({ ...files, [editors.cursor]: 'mine' }, layout);
    const kept = await fwk(made, 'skills', '--ide', 'cursor,windsurf');
    assert.is(kept.status, 0);
    assert.match(
      kept.stdout,
      report([
        ['skipped', editors.cursor],
        ['written', editors.windsurf],
      ]),
    );
    assert.match(kept.stdout, '--force');
    assert.is(made.read(editors.cursor), 'mine');
    const forced = await fwk(made, 'skills', '--ide=cursor,windsurf', '--force');
    assert.is(
      forced.stdout,
      report([
        ['written', editors.cursor],
        ['unchanged', editors.windsurf],
      ]),
    );
    assert.match(made.read(editors.cursor), 'alwaysApply');
  });

  test('files that are as they would be written are unchanged', async () => {
    const made = project(files, layout);
    await fwk(made, 'skills', '--mcp');
    const again = await fwk(made, 'skills', '--mcp');
    assert.match(again.stdout, /^(?:unchanged .+\n)+$/);
    made.write(editors.cursor, 'mine');
    const { stdout } = await fwk(made, 'skills');
    assert.match(stdout, `skipped   ${editors.cursor}\n`);
    assert.match(stdout, `unchanged ${editors.claude}\n`);
  });

  test.run();
}

const ide = suite('--ide');

ide('limits the output to the editors it names', async () => {
  for (const [name, file] of [...Object.entries(editors), ['codex', 'AGENTS.md']] as const) {
    const made = project(files);
    const before = Object.keys(listing(made));
    assert.equal(await fwk(made, 'skills', '--ide', name), {
      status: 0,
      stdout: report([['written', file]]),
      stderr: '',
    });
    assert.equal(Object.keys(listing(made)), [...before, file].sort());
  }
  const made = project(files);
  const { stdout } = await fwk(made, 'skills', '--ide', 'codex, claude,codex');
  assert.is(
    stdout,
    report([
      ['written', 'AGENTS.md'],
      ['written', editors.claude],
    ]),
  );
});

ide('refuses other names with the nearest one, and writes nothing', async () => {
  const made = project(files);
  const before = listing(made);
  for (const [given, sentence] of [
    ['cursr', '--ide has no editor "cursr". It takes claude, cursor, windsurf, codex.'],
    ['claude,Codex', '--ide has no editor "Codex". It takes'],
    ['claude,', '--ide has no editor "".'],
    ['toString', '--ide has no editor "toString".'],
  ] as const)
    assert.match(await refusal(made, 'skills', '--ide', given), sentence);
  assert.match(await refusal(made, 'skills', '--ide'), '--ide needs a value');
  assert.match(await refusal(made, 'skills', '--ides', 'x'), 'Did you mean "--ide"?');
  assert.equal(listing(made), before);
});

ide.run();

const agents = suite('AGENTS.md');

/** What becomes of an AGENTS.md, after two runs that must agree. `OURS` stands for the block in the line ends at hand. */
async function becomes(before: string, after: string): Promise<void> {
  const made = project({ ...files, 'AGENTS.md': before });
  await fwk(made, 'skills', '--ide', 'codex');
  const once = made.read('AGENTS.md');
  const [block = ''] = /<!-- fwk:begin -->\r?\n[\s\S]*?\n<!-- fwk:end -->/.exec(once) ?? [];
  assert.match(block, 'ctx');
  assert.is(
    once,
    after.replace('OURS', () => block),
  );
  assert.is(/[^\r]\n/.test(block), !before.includes('\r\n'), 'line ends');
  const mtime = made.mtime('AGENTS.md');
  const again = await fwk(made, 'skills', '--ide', 'codex', '--force');
  assert.is(again.stdout, report([['unchanged', 'AGENTS.md']]));
  assert.is(made.mtime('AGENTS.md'), mtime);
  assert.is(made.read('AGENTS.md'), once);
}

const old = `${begin}\nold\n${end}`;

for (const [name, before, after] of [
  ['an empty one', '', 'OURS\n'],
  ['one without the block', '# Mine\n', '# Mine\n\nOURS\n'],
  ['one without a final line end', '# Mine', '# Mine\n\nOURS\n'],
  ['a block at its place', `# Mine\n\n${old}\n\n  more \n`, '# Mine\n\nOURS\n\n  more \n'],
  ['a block that ends the file', `a\n${old}`, 'a\nOURS'],
  ['an empty block', `a\n${begin}\n${end}\nb`, 'a\nOURS\nb'],
  ['CRLF', '# Mine\r\n\r\nmore\r\n', '# Mine\r\n\r\nmore\r\n\r\nOURS\r\n'],
  ['a block in CRLF', `a\r\n${old.replaceAll('\n', '\r\n')}\r\nb\r\n`, 'a\r\nOURS\r\nb\r\n'],
  ['a byte order mark', `\uFEFF${old}\nb\n`, '\uFEFFOURS\nb\n'],
  ['several blocks', `a\n${old}\nb\n${old}\nc\n${old}`, 'a\nOURS\nb\nc\n'],
  ['markers in a sentence', `The ${begin} line and ${end}\n`, `The ${begin} line and ${end}\n\nOURS\n`],
  ['dollars', `$& $1 $$\n${old}\n$'`, "$& $1 $$\nOURS\n$'"],
] as const)
  agents(name, () => becomes(before, after));

agents('a marker that has lost the other is refused at its line, and nothing is lost', async () => {
  for (const [text, sentence] of [
    [`a\n${begin}\nmine\n`, `AGENTS.md:2: has the line ${begin} without ${end} after it.`],
    [`a\nb\n${end}\nmine\n`, `AGENTS.md:3: has the line ${end} without ${begin} before it.`],
    [`${begin}\nx\n${begin}\ny\n${end}\n`, `AGENTS.md:1: has the line ${begin} without ${end} after it.`],
    [`${old}\nb\n${begin}\n`, `AGENTS.md:5: has the line ${begin} without ${end} after it.`],
  ] as const) {
    const made = project({ ...files, 'AGENTS.md': text });
    const before = listing(made);
    assert.match(await refusal(made, 'skills'), sentence);
    assert.equal(listing(made), before);
  }
});

agents('bytes that are no UTF-8 are refused, not replaced', async () => {
  const made = project(files);
  const bytes = Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]);
  writeFileSync(made.path('AGENTS.md'), bytes);
  assert.match(await refusal(made, 'skills'), 'AGENTS.md: is not UTF-8.');
  assert.ok(readFileSync(made.path('AGENTS.md')).equals(bytes));
});

agents.run();
