import { readdirSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OURS } from '../../../plugins/skills/guidance.js';
import { fwk } from '../../harness/fwk.js';
import { repo } from '../../harness/installed.js';
import { project } from '../../harness/project.js';
import { module } from '../../harness/source.js';

// AGENTS.md has 8 KB, whatever plugins a project has: what does not fit is a line with where it stands, and the skill has all of it.

const LIMIT_BYTES = 8_192;

/** fwk's packages with a guide: how each is called in a config, and what of it is always in view. */
const PACKAGES = {
  queue: ['queues', 'src/queues/mail.ts'],
  cron: ['cron', 'src/cron/report.ts'],
  prove: ['prove', 'src/policy.ts'],
} as const;
type Name = keyof typeof PACKAGES;
const NAMES = Object.keys(PACKAGES) as Name[];

interface Written {
  readonly index: string;
  readonly skill: string;
}

async function written(imports: string, plugins: string, more = ''): Promise<Written> {
  const made = project({
    'api/x.get.ts': module('get', 'export default get(() => 1);'),
    'fwk.config.ts': `import { defineConfig } from 'fwkit';
import { definePlugin } from 'fwkit/plugin';
${imports}
const jobs = (name: string, guide: object) => definePlugin({ name, apply() {}, guide: async () => guide });
${more}
export default defineConfig({ plugins: [${plugins}] });
`,
  });
  const { status, stderr } = await fwk(made, 'skills', '--ide', 'claude,codex');
  assert.is(status, 0, stderr);
  const index = made.read('AGENTS.md');
  isWhole(index);
  return { index, skill: made.read('.claude/skills/fwk/SKILL.md') };
}

/** Within the limit, and nothing cut off: code blocks are closed, and the last words are there. */
function isWhole(index: string): void {
  const bytes = Buffer.byteLength(index);
  assert.ok(bytes <= LIMIT_BYTES, `${bytes} bytes`);
  assert.is((index.match(/^```/gm) ?? []).length % 2, 0);
  assert.match(index, /^Check your work: .*\.\n<!-- fwk:end -->\n$/m);
}

/** The imports and calls of some of fwk's packages. */
const ours = (names: readonly Name[]): [imports: string, calls: string] => [
  names.map((name) => `import { ${PACKAGES[name][0]} } from '@fwkit/${name}';`).join('\n'),
  names.map((name) => `${PACKAGES[name][0]}()`).join(', '),
];

const test = suite('the room of AGENTS.md');

test('each package with a guide is among those that are tried', () => {
  const withGuide = readdirSync(path.join(repo, 'packages'), { recursive: true })
    .map(String)
    .filter((name) => /^[^/\\]+[/\\]guide\.ts$/.test(name))
    .map((name) => path.dirname(name));
  assert.equal(withGuide.sort(), [...NAMES].sort());
});

test('each convention of fwk with a guide is known as one', () => {
  const withGuide = readdirSync(path.join(repo, 'plugins'), { recursive: true })
    .map(String)
    .filter((name) => /^[^/\\]+[/\\]guide\.ts$/.test(name))
    .map((name) => path.dirname(name));
  assert.equal([...OURS].sort(), withGuide.sort());
});

for (let bits = 1; bits < 2 ** NAMES.length; bits += 1) {
  const names = NAMES.filter((_, at) => bits & (1 << at));
  test(`${names.join(', ')}: all that they say is in view`, async () => {
    const { index, skill } = await written(...ours(names));
    for (const name of names) assert.ok(index.includes(`| \`${PACKAGES[name][1]}\``), PACKAGES[name][1]);
    for (const word of ["from '@fwkit/queue'", "from '@fwkit/cron'"])
      if (names.some((name) => word.includes(name))) assert.ok(index.includes(word), word);
    // What has given way is not what is in use.
    for (const word of ['createTestApp', 'ws/rooms', 'ctx.user', '`npx fwk docs <word>`'])
      assert.ok(index.includes(word), word);
    for (const name of names) assert.ok(skill.includes(PACKAGES[name][1].replace('src/', '')));
  });
}

const SENTENCE = 'A shelf stands where its file says, and nowhere else. ';

test("a stranger's guide of 5 KB is a line with where it stands, and takes nothing from others", async () => {
  const guide = `{ guidance: () => '## Shelves\\n\\n' + '${SENTENCE}'.repeat(100) + 'THE END.' }`;
  const { index, skill } = await written('', `jobs('shelves', ${guide})`);
  assert.match(index, '`shelves` (Shelves): `.claude/skills/fwk/SKILL.md`');
  assert.not.match(index, SENTENCE.trim());
  assert.match(skill, 'THE END.');
  const { index: alone } = await written('', '');
  for (const example of alone.match(/^\/\/ src\/.*$/gm) ?? []) assert.ok(index.includes(example), example);
});

test('so is a large brief, whose files stay where there is room, with the page that its guide names', async () => {
  const brief = `{
    page: 'node_modules/shelves/docs/all.md',
    brief: () => ({ files: [['shelves/x.ts', 'a shelf']], examples: ['// shelves/x.ts\\n' + '${SENTENCE}'.repeat(60)], mistakes: ['none'] }),
  }`;
  const { index } = await written('', `jobs('shelves', ${brief})`);
  assert.match(index, '| `shelves/x.ts` | a shelf |');
  assert.match(index, '`shelves`: `node_modules/shelves/docs/all.md`');
  assert.not.match(index, SENTENCE.trim());
});

test("beside fwk's packages, what is small is kept whole", async () => {
  const [imports, calls] = ours(NAMES);
  const large = `jobs('large', { guidance: () => '## Large\\n\\n' + '${SENTENCE}'.repeat(100) })`;
  const small = `jobs('small', { brief: () => ({ files: [['small/x.ts', 'a small thing']] }) })`;
  const { index } = await written(imports, `${large}, ${calls}, ${small}`);
  for (const word of ['| `small/x.ts` | a small thing |', '`large` (Large): ', '| `src/cron/report.ts`'])
    assert.ok(index.includes(word), word);
});

test('a hundred strangers are one line', async () => {
  const guide = `{ guidance: () => '## Shelves\\n\\n' + '${SENTENCE}'.repeat(10) }`;
  const { index } = await written(
    '',
    `...Array.from({ length: 100 }, (_, at) => jobs('shelves-' + at, ${guide}))`,
  );
  assert.match(index, /^More of `shelves-0`, .* and \d+ more plugins: `\.claude\/skills\/fwk\/SKILL\.md`/m);
});

test.run();
