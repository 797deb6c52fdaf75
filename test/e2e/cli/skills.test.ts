import { readFileSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { replaceBlock } from '../../../cli/files/merge.js';
import { BootError } from '../../../kernel/index.js';
import { fwk } from '../../harness/fwk.js';
import { listing } from '../../harness/listing.js';
import { layouts, type Project, project } from '../../harness/project.js';
import { refusal } from '../../harness/refusal.js';
import { configFile, tells } from '../../harness/source.js';
import { doctor, doctorReport } from './doctor.js';

// fwk skills: one text in the format of each editor. Files that somebody has changed stay, and in AGENTS.md everything outside of the block.
// fwk doctor finds text of another state of the project (FWK623).

const files = { 'api/x.get.ts': tells('get', 'x') };
const AGENTS = 'AGENTS.md';
const CLAUDE = '.claude/skills/fwk/SKILL.md';
const CURSOR = '.cursor/rules/fwk.mdc';
const WINDSURF = '.windsurf/rules/fwk.md';
const ALL = [CLAUDE, CURSOR, WINDSURF, AGENTS];
const begin = '<!-- fwk:begin -->';
const end = '<!-- fwk:end -->';

const report = (...lines: readonly (readonly [outcome: string, file: string])[]): string =>
  lines.map(([outcome, file]) => `${outcome.padEnd(9)} ${file}\n`).join('');

/** The front matter's fields, and the text up to the line by which fwk recognizes its own files. */
function split(text: string): { fields: Record<string, string>; body: string } {
  const [, head = '', body = ''] =
    /^---\n([\s\S]*?)\n---\n\n([\s\S]*)\n<!-- fwk skills .* -->\n$/.exec(text) ?? [];
  const fields = head.split('\n').map((line) => /^(\w+):(?: (.*))?$/.exec(line) ?? []);
  return { fields: Object.fromEntries(fields.map(([, name, value = '']) => [name, value])), body };
}

async function skills(made: Project, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await fwk(made, 'skills', ...args);
  assert.equal([status, stderr], [0, '']);
  return stdout;
}

const config = (options: string): string => configFile(`{ ${options} }`);

/** A plugin whose guide mentions queues. */
const QUEUES = `plugins: [{ name: 'queues', guide: async () => ({ guidance: () => '## Queues: queues/' }), apply() {} }]`;

/** The findings of stale guidance: `AGENTS.md true` where fwk doctor can fix the file. */
async function stale(made: Project, ...args: string[]): Promise<string[]> {
  const { findings } = await doctorReport(made, ...args);
  return findings
    .filter(({ rule }) => rule === 'stale-guidance')
    .map(({ file, line, fixable }) => [file, line, fixable].filter((part) => part !== undefined).join(' '))
    .sort();
}

const guided = async (...args: string[]): Promise<Project> => {
  const made = project(files);
  await skills(made, ...args);
  return made;
};

const test = suite('fwk skills');

for (const layout of layouts)
  test(`${layout}: writes one text in the format of each editor`, async () => {
    const made = project(files, layout);
    assert.is(await skills(made), report(...ALL.map((file) => ['written', file] as const)));
    const claude = split(made.read(CLAUDE));
    const cursor = split(made.read(CURSOR));
    const windsurf = split(made.read(WINDSURF));
    const description = claude.fields.description ?? '';
    assert.ok(description.length > 50 && description.length <= 1024);
    assert.not.match(description, /[:#"'<>]/);
    assert.equal(claude.fields, { name: 'fwk', description });
    assert.equal(cursor.fields, { description, globs: '', alwaysApply: 'true' });
    assert.equal(windsurf.fields, { trigger: 'always_on', description });
    assert.equal([cursor.body, windsurf.body], [claude.body, claude.body]);
    assert.is(made.read(AGENTS), `${begin}\n${claude.body.trimEnd()}\n${end}\n`);
    assert.match(claude.body, `// ${made.label('api/books/[id].post.ts')}`);
    if (layout === 'js') assert.not.match(claude.body, /\.ts\b|src\/|TypeScript|HttpRequest|tsc\b/);
    else assert.match(claude.body, 'TypeScript');
  });

test('an empty project with a tsconfig.json gets text for TypeScript in src/', async () => {
  const made = project({ 'tsconfig.json': '{}' }, 'js');
  await skills(made, '--ide', 'codex');
  assert.match(made.read(AGENTS), '// src/api/books/[id].post.ts');
  const inRoot = project({ ...files, 'tsconfig.json': '{}' }, 'js');
  await skills(inRoot, '--ide', 'codex');
  assert.match(inRoot.read(AGENTS), '// api/books/[id].post.js');
});

test('an edited file is kept without --force, and an equal file is unchanged', async () => {
  const made = project({ ...files, [CURSOR]: 'mine' });
  const kept = await skills(made, '--ide', 'cursor,windsurf');
  assert.match(kept, report(['skipped', CURSOR], ['written', WINDSURF]));
  assert.match(kept, '--force');
  assert.is(made.read(CURSOR), 'mine');
  const forced = await skills(made, '--ide=cursor,windsurf', '--force');
  assert.is(forced, report(['written', CURSOR], ['unchanged', WINDSURF]));
  assert.match(made.read(CURSOR), 'alwaysApply');
  await skills(made, '--mcp');
  assert.match(await skills(made, '--mcp'), /^(?:unchanged .+\n)+$/);
});

test('--ide limits the output to the named editors', async () => {
  const made = project(files);
  const before = Object.keys(listing(made));
  assert.is(
    await skills(made, '--ide', 'codex, claude,codex'),
    report(['written', AGENTS], ['written', CLAUDE]),
  );
  assert.equal(Object.keys(listing(made)), [...before, AGENTS, CLAUDE].sort());
});

test('--ide rejects unknown names, suggests the nearest one, and writes nothing', async () => {
  const made = project(files);
  const before = listing(made);
  for (const [given, sentence] of [
    ['cursr', '--ide has no editor "cursr". The editors are claude, cursor, windsurf, codex.'],
    ['claude,Codex', '--ide has no editor "Codex". The editors are'],
    ['claude,', '--ide has no editor "".'],
    ['toString', '--ide has no editor "toString".'],
  ] as const)
    assert.match(await refusal(made, 'skills', '--ide', given), sentence);
  assert.match(await refusal(made, 'skills', '--ide'), '--ide needs a value');
  assert.match(await refusal(made, 'skills', '--ides', 'x'), 'Did you mean "--ide"?');
  assert.equal(listing(made), before);
});

test('--mcp adds the dev server to the editor configuration and keeps other servers', async () => {
  const own = { 'fwk-dev': { url: 'http://mine/' } };
  const made = project({
    ...files,
    '.mcp.json': JSON.stringify({ mcpServers: { other: { command: 'x' } }, more: 1 }),
    '.cursor/mcp.json': JSON.stringify({ mcpServers: own }),
  });
  const read = (name: string) => JSON.parse(made.read(name));
  await skills(made);
  assert.not.ok(made.exists('.vscode/mcp.json'));
  await skills(made, '--mcp', '--port', '4000');
  const url = 'http://localhost:4000/_fwk/mcp';
  assert.equal(read('.mcp.json'), {
    mcpServers: { other: { command: 'x' }, 'fwk-dev': { type: 'http', url } },
    more: 1,
  });
  assert.equal(read('.cursor/mcp.json'), { mcpServers: own });
  assert.equal(read('.vscode/mcp.json'), { servers: { 'fwk-dev': { type: 'http', url } } });
  made.write('.vscode/mcp.json', '{ // mine\n  "servers": {\n    "a": {},\n  },\n}\n');
  await skills(made, '--mcp');
  assert.is(
    made.read('.vscode/mcp.json'),
    `{ // mine\n  "servers": { "fwk-dev":{"type":"http","url":"http://localhost:3000/_fwk/mcp"},\n    "a": {},\n  },\n}\n`,
  );
  assert.match(await skills(made, '--mcp'), /^(?:unchanged .+\n)+$/);
});

test('the plugin can be disabled', async () => {
  const made = project({
    ...files,
    'fwk.config.ts': config(`disable: ['skills']`),
    [AGENTS]: `${begin}\nold\n${end}\n`,
  });
  assert.match(await skills(made), '"skills" is disabled');
  assert.equal(await stale(made), []);
});

test.run();

const agents = suite('AGENTS.md');

const old = `${begin}\nold\n${end}`;

// `OURS` represents the block with the line breaks of the file.
for (const [name, before, after] of [
  ['an empty file', '', 'OURS\n'],
  ['a file without the block', '# Mine\n', '# Mine\n\nOURS\n'],
  ['a file without a final line break', '# Mine', '# Mine\n\nOURS\n'],
  ['a block in the right place', `# Mine\n\n${old}\n\n  more \n`, '# Mine\n\nOURS\n\n  more \n'],
  ['a block at the end of the file', `a\n${old}`, 'a\nOURS'],
  ['an empty block', `a\n${begin}\n${end}\nb`, 'a\nOURS\nb'],
  ['CRLF', '# Mine\r\n\r\nmore\r\n', '# Mine\r\n\r\nmore\r\n\r\nOURS\r\n'],
  ['a block with CRLF', `a\r\n${old.replaceAll('\n', '\r\n')}\r\nb\r\n`, 'a\r\nOURS\r\nb\r\n'],
  ['a byte order mark', `\uFEFF${old}\nb\n`, '\uFEFFOURS\nb\n'],
  ['several blocks', `a\n${old}\nb\n${old}\nc\n${old}`, 'a\nOURS\nb\nc\n'],
  ['markers in a sentence', `The ${begin} line and ${end}\n`, `The ${begin} line and ${end}\n\nOURS\n`],
  ['dollars', `$& $1 $$\n${old}\n$'`, "$& $1 $$\nOURS\n$'"],
] as const)
  agents(name, () => {
    const once = replaceBlock(before, 'the text\n', AGENTS);
    const block = [begin, 'the text', end].join(before.includes('\r\n') ? '\r\n' : '\n');
    assert.is(
      once,
      after.replace('OURS', () => block),
    );
    assert.is(replaceBlock(once, 'the text\n', AGENTS), once);
  });

agents('rejects an unpaired marker with its line, and writes nothing', async () => {
  for (const [text, line, message] of [
    [`a\n${begin}\nmine\n`, 2, `has the line ${begin} without ${end} after it.`],
    [`a\nb\n${end}\nmine\n`, 3, `has the line ${end} without ${begin} before it.`],
    [`${begin}\nx\n${begin}\ny\n${end}\n`, 1, `has the line ${begin} without ${end} after it.`],
    [`${old}\nb\n${begin}\n`, 5, `has the line ${begin} without ${end} after it.`],
  ] as const)
    assert.throws(
      () => replaceBlock(text, 'x', AGENTS),
      (thrown: unknown) =>
        thrown instanceof BootError &&
        thrown.problems[0]?.line === line &&
        thrown.problems[0].message.startsWith(message),
    );
  const made = project({ ...files, [AGENTS]: `a\n${begin}\nmine\n` });
  const before = listing(made);
  assert.match(await refusal(made, 'skills'), `AGENTS.md:2: has the line ${begin} without ${end} after it.`);
  assert.equal(listing(made), before);
});

agents('rejects invalid UTF-8 instead of replacing it', async () => {
  const made = project(files);
  const bytes = Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]);
  writeFileSync(made.path('AGENTS.md'), bytes);
  assert.match(await refusal(made, 'skills'), 'AGENTS.md: is not UTF-8.');
  assert.ok(readFileSync(made.path('AGENTS.md')).equals(bytes));
});

agents.run();

const doctored = suite('stale guidance');

doctored('an added plugin makes all files stale, and --fix updates them and keeps other text', async () => {
  const made = await guided();
  made.write(AGENTS, `# Ours\n\n${made.read(AGENTS)}\nBe kind.\n`);
  assert.equal(await stale(made), []);
  made.write('fwk.config.ts', config(QUEUES));
  const { stdout } = await doctor(made);
  const sentence = `${AGENTS}: is outdated: the project or fwk has changed since fwk skills wrote it. Run fwk skills --ide codex. (stale-guidance)`;
  assert.match(stdout, `\n  FWK623 ${sentence}\n`);
  assert.equal(await stale(made), ALL.map((file) => `${file} true`).sort());
  assert.equal(await stale(made, '--fix'), []);
  for (const file of ALL) assert.match(made.read(file), 'queues/');
  assert.match(made.read(AGENTS), new RegExp(`^# Ours\n\n${begin}\n[\\s\\S]*-->\n\nBe kind\\.\n$`));
});

doctored('fwk skills rewrites unedited files', async () => {
  const made = await guided();
  made.write('fwk.config.ts', config(`disable: ['ws']`));
  assert.is((await stale(made)).length, 4);
  assert.match(await skills(made), /^(?:written .+\n){4}$/);
  assert.equal(await stale(made), []);
});

doctored('leaves edited files alone', async () => {
  const made = await guided('--ide', 'cursor');
  made.write(AGENTS, '# Ours\n');
  made.write(CLAUDE, '# A skill of ours\n');
  made.write('fwk.config.ts', config(QUEUES));
  assert.equal(await stale(made), [`${CURSOR} true`]);
  made.write(CURSOR, made.read(CURSOR).replace('# fwk', '# fwk, as we use it'));
  const before = listing(made);
  assert.equal(await stale(made, '--fix'), []);
  assert.match(await skills(made, '--ide', 'cursor'), `skipped   ${CURSOR}`);
  assert.equal(listing(made), before);
});

doctored('reformatted files do not count as edited', async () => {
  const made = await guided();
  for (const file of [AGENTS, CURSOR]) {
    const text = made.read(file);
    const formatted = text
      .replace(/^globs: $/m, 'globs:')
      .replaceAll("'", '"')
      .replace(/; (?=\w)/g, ';\n')
      .replaceAll('\n', '\r\n');
    assert.is.not(formatted, text);
    made.write(file, formatted);
  }
  assert.equal(await stale(made), []);
  made.write('fwk.config.ts', config(QUEUES));
  assert.equal(await stale(made, '--fix'), []);
  assert.match(made.read(CURSOR), 'queues/');
});

doctored('reports an unpaired marker with its line and does not fix it', async () => {
  const made = await guided('--ide', 'codex');
  const text = `# Ours\n${begin}\nours, too\n`;
  made.write(AGENTS, text);
  assert.equal(await stale(made, '--fix'), [`${AGENTS} 2 false`]);
  assert.is(made.read(AGENTS), text);
});

doctored.run();
