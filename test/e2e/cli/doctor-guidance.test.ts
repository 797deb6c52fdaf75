import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { listing } from '../../harness/listing.js';
import { type Project, project } from '../../harness/project.js';
import { module } from '../../harness/source.js';
import { doctor, type Found, said } from './doctor.js';

// fwk doctor says when fwk skills would write other guidance than is there, and writes it where nobody has changed it by hand.

const AGENTS = 'AGENTS.md';
const CLAUDE = '.claude/skills/fwk/SKILL.md';
const CURSOR = '.cursor/rules/fwk.mdc';
const WINDSURF = '.windsurf/rules/fwk.md';
const begin = '<!-- fwk:begin -->';

const config = (options: string): string =>
  module('defineConfig', `export default defineConfig({ ${options} });`);

/** A plugin whose guide speaks of queues. */
const QUEUES = `plugins: [{ name: 'queues', guide: async () => ({ guidance: () => '## Queues\\n\\nA file in \`queues/\` is a job.\\n', brief: () => ({ files: [['queues/mail.ts', 'a job']] }) }), apply() {} }]`;

/** What is found of guidance: whether a project has been scaffolded is not asked here. */
async function found(made: Project, ...args: string[]): Promise<Found[]> {
  const { findings } = await said(made, ...args);
  return findings.filter(({ rule }) => rule === 'stale-guidance');
}

const files = async (made: Project, ...args: string[]): Promise<string[]> =>
  (await found(made, ...args)).map(({ file = '', fixable }) => `${file} ${fixable}`);

const guided = async (...args: string[]): Promise<Project> => {
  const made = project({ 'api/x.get.ts': module('get', 'export default get(() => 1);') });
  assert.is((await fwk(made, 'skills', ...args)).status, 0);
  return made;
};

const test = suite('stale guidance');

test('a plugin that came later is told of every file, and --fix writes it around what is written by hand', async () => {
  const made = await guided();
  made.write(AGENTS, `# Ours\n\n${made.read(AGENTS)}\nBe kind.\n`);
  assert.equal(await files(made), []);
  made.write('fwk.config.ts', config(QUEUES));
  const { stdout } = await doctor(made);
  const sentence = `${AGENTS}: is not what fwk skills would write now: assistants are told of another state of the project, or of fwk. Run fwk skills --ide codex. (stale-guidance)`;
  assert.match(stdout, `\n  FWK623 ${sentence}\n`);
  const all = [CLAUDE, CURSOR, WINDSURF, AGENTS].map((file) => `${file} true`);
  assert.equal((await files(made)).sort(), all.sort());
  const { fixed } = await said(made, '--fix');
  assert.is(fixed.filter(({ rule }) => rule === 'stale-guidance').length, 4);
  for (const file of [AGENTS, CLAUDE, CURSOR, WINDSURF]) assert.match(made.read(file), 'queues/');
  assert.match(made.read(AGENTS), new RegExp(`^# Ours\n\n${begin}\n[^]*-->\n\nBe kind\\.\n$`));
  const before = listing(made);
  assert.equal(await files(made, '--fix'), []);
  assert.equal(listing(made), before);
});

test('a convention that is switched off is told, until fwk skills is run', async () => {
  const made = await guided();
  made.write('fwk.config.ts', config(`disable: ['mcp']`));
  assert.is((await found(made)).length, 4);
  const { stdout } = await fwk(made, 'skills');
  assert.equal(
    stdout.match(/^\w+/gm),
    ['written', 'written', 'written', 'written'],
    'without --force, since nobody has changed them',
  );
  assert.equal(await found(made), []);
});

test('only files that are there, and what is written by hand is nobody else’s', async () => {
  const made = await guided('--ide', 'cursor');
  made.write(AGENTS, '# Ours\n');
  made.write(CLAUDE, '# A skill of ours\n');
  made.write('fwk.config.ts', config(QUEUES));
  assert.equal(await files(made), [`${CURSOR} true`]);
  made.write(CURSOR, made.read(CURSOR).replace('# fwk', '# fwk, as we use it'));
  const before = listing(made);
  assert.equal(await files(made, '--fix'), []);
  assert.match((await fwk(made, 'skills', '--ide', 'cursor')).stdout, `skipped   ${CURSOR}`);
  assert.equal(listing(made), before);
  made.write('fwk.config.ts', config(`disable: ['skills']`));
  made.write(AGENTS, `${begin}\nold\n<!-- fwk:end -->\n`);
  assert.equal(await found(made), []);
});

test('what a formatter or git makes of lines, quotes and tables is the same guidance', async () => {
  const made = await guided();
  for (const file of [AGENTS, CURSOR]) {
    const text = made.read(file);
    const formatted = text
      .replace(/^\|---\|---\|$/m, '| ------- | -------- |')
      .replace(/^globs: $/m, 'globs:')
      .replaceAll("'", '"')
      .replace(/; (?=\w)/g, ';\n')
      .replaceAll('\n', '\r\n');
    assert.is.not(formatted, text);
    made.write(file, formatted);
  }
  assert.equal(await found(made), []);
  made.write('fwk.config.ts', config(QUEUES));
  assert.is((await found(made, '--fix')).length, 0);
  assert.match(made.read(CURSOR), 'queues/');
});

test('a marker that has lost the other is told at its line, and left to a person', async () => {
  const made = await guided('--ide', 'codex');
  made.write(AGENTS, `# Ours\n${begin}\nours, too\n`);
  const [one, ...others] = await found(made, '--fix');
  assert.equal(others, []);
  assert.equal([one?.file, one?.line, one?.fixable], [AGENTS, 2, false]);
  assert.match(one?.message ?? '', `has the line ${begin} without <!-- fwk:end --> after it.`);
  assert.is(made.read(AGENTS), `# Ours\n${begin}\nours, too\n`);
});

test.run();
