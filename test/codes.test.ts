import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from './harness/fwk.js';
import { repo } from './harness/installed.js';
import { type Project, project } from './harness/project.js';
import { code, list } from './harness/sources.js';
import { createTestApp } from './harness/testing.js';

// Every kind of mistake has a code, and every code a page, whose example of the mistake is one.

const test = suite('codes');

const FOLDER = 'docs/errors';
const read = (file: string): string => readFileSync(path.join(repo, file), 'utf8');
const titles = new Map(
  [...read('kernel/errors/codes.ts').matchAll(/^ {2}(FWK\d{3}): '(.*)';$/gm)].map(
    ([, one = '', title = '']) => [one, title],
  ),
);
const text = (one: string): string => read(`${FOLDER}/${one}.md`);

test('every code has a page, and every page a code', () => {
  assert.ok(titles.size > 80);
  const pages = readdirSync(path.join(repo, FOLDER)).filter((name) => name !== 'README.md');
  assert.equal(pages.map((name) => name.replace(/\.md$/, '')).sort(), [...titles.keys()].sort());
  for (const [one, title] of titles) assert.match(text(one), `# ${one}: ${title}\n`);
});

test('a page says what it means, what is wrong and what is right, in few words', () => {
  for (const one of titles.keys()) {
    const page = text(one);
    assert.match(page, /\n\nWrong:\n\n```[\s\S]*\n```\n\nRight:\n\n```/, one);
    assert.ok(Buffer.byteLength(page) <= 800, `${one} takes ${Buffer.byteLength(page)} bytes`);
  }
});

test('the list of pages has them all', () => {
  const listed = [...read(`${FOLDER}/README.md`).matchAll(/^- \[(FWK\d{3})\]\(FWK\d{3}\.md\): (.*)$/gm)];
  assert.equal(
    listed.map(([, one, title]) => [one, title]),
    [...titles],
  );
});

test('every code is reported somewhere', () => {
  const sources = ['kernel', 'plugins', 'app', 'cli', 'packages']
    .flatMap(list)
    .filter((file) => file !== 'kernel/errors/codes.ts')
    .map(code);
  const idle = [...titles.keys()].filter((one) => !sources.some((source) => source.includes(`'${one}'`)));
  assert.equal(idle, []);
});

/** The blocks of a page below `Wrong:` or `Right:` that are files of a project. */
const filesOf = (page: string, part: 'Wrong' | 'Right'): Record<string, string> => {
  const [, below = ''] = page.split(`\n${part}:\n`);
  const [own = ''] = below.split('\nRight:\n');
  const blocks = [...own.matchAll(/^```ts\n\/\/ (src\/.*)\n([\s\S]*?)^```$/gm)];
  return Object.fromEntries(blocks.map(([, file = '', source = '']) => [file.replace(/^src\//, ''), source]));
};

/** The rules of fwk doctor in the sources, each with its code. */
const rules = ['plugins', 'cli', 'packages'].flatMap(list).flatMap((file) =>
  [...code(file).matchAll(/\brule: '([\w-]+)'(?:,\s*code: '(FWK\d{3})')?/g)].map(([, rule = '', own]) => ({
    rule,
    own,
  })),
);
const found = new Set(rules.map(({ own }) => own));

test('every rule of fwk doctor has a code, a row in the manual, and its name on the page', () => {
  assert.ok(rules.length > 17);
  const manual = read('docs/operate/doctor.md');
  for (const { rule, own = '' } of rules) {
    assert.ok(titles.has(own), `${rule} has no code`);
    assert.match(text(own), `\`${rule}\``, own);
    const row = manual.split('\n').find((line) => line.startsWith(`| \`${rule}\` |`)) ?? '';
    // One rule may have two: a secret that is not there, and one that is too short.
    const shown = [...row.matchAll(/\[([^\]]*)\]\(\.\.\/errors\/(FWK\d{3})\.md\)/g)];
    assert.ok(
      rules.some((one) => one.rule === rule && one.own === shown[0]?.[2]),
      `${rule}: ${row}`,
    );
    assert.is(shown[0]?.[1], titles.get(shown[0]?.[2] ?? ''));
  }
});

test('every error that a test is told has a code', () => {
  const files = list('app/test-app');
  assert.ok(files.length > 10);
  assert.equal(
    files.filter((file) => /\bnew (?:Type|Range)?Error\(/.test(code(file))),
    [],
  );
});

/** What a start says of the files of a page, or a doctor where the mistake is legal. */
async function reported(one: string, files: Record<string, string>): Promise<string> {
  const made: Project = project(files);
  if (found.has(one)) return (await fwk(made, 'doctor')).stdout;
  try {
    await (await createTestApp({ dir: made.root })).close();
    return '';
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

for (const one of titles.keys()) {
  const wrong = filesOf(text(one), 'Wrong');
  if (Object.keys(wrong).length === 0) continue;
  test(`${one}: the example of the mistake is one, and the other is not`, async () => {
    assert.match(await reported(one, wrong), new RegExp(`^ *${one} `, 'm'));
    const right = filesOf(text(one), 'Right');
    const any = found.has(one) ? one : 'FWK';
    if (Object.keys(right).length > 0) assert.not.match(await reported(one, right), any);
  });
}

test.run();
