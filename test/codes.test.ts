import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from './harness/fwk.js';
import { repo } from './harness/installed.js';
import { type Project, project } from './harness/project.js';
import { code, list, ROOMS } from './harness/sources.js';
import { createTestApp } from './harness/testing.js';
import { compared, tsc } from './harness/tsc.js';

// Every mistake has a code, and every code a section with a wrong and a right example.

const test = suite('codes');

const FOLDER = 'docs/errors';
const read = (file: string): string => readFileSync(path.join(repo, file), 'utf8');
const productFiles = [...ROOMS, 'packages'].flatMap(list);
const codesFiles = productFiles.filter((file) => path.posix.basename(file) === 'codes.ts');
const declared = codesFiles
  .flatMap((file) =>
    [...read(file).matchAll(/^ +(FWK\d{3}): '(.*)';$/gm)].map(([, one = '', title = '']) => ({
      one,
      title,
      file,
    })),
  )
  .sort((a, b) => a.one.localeCompare(b.one));
const titles = new Map(declared.map(({ one, title }) => [one, title]));

/** The sections of docs/errors by code: the heading and the text below it, and the page. */
const sections = new Map(
  readdirSync(path.join(repo, FOLDER))
    .filter((name) => name !== 'README.md')
    .flatMap((name) =>
      read(`${FOLDER}/${name}`)
        .split(/^(?=## FWK)/m)
        .slice(1)
        .map((section) => [section.slice(3, 9), { section, page: name }] as const),
    ),
);
const text = (one: string): string => sections.get(one)?.section ?? '';

test('every code has a section on its page, and every section has a code', () => {
  assert.ok(titles.size > 80);
  assert.equal([...sections.keys()], [...titles.keys()]);
  for (const [one, title] of titles) {
    assert.match(text(one), `## ${one}: ${title}\n\n`);
    assert.is(sections.get(one)?.page, `${one.slice(0, 4)}xx.md`);
  }
});

test('every section has a short explanation, a wrong example and a right one', () => {
  for (const one of titles.keys()) {
    assert.match(text(one), /\n\nWrong:\n\n```[\s\S]*\n```\n\nRight:\n\n```/, one);
    assert.ok(Buffer.byteLength(text(one)) <= 800, `${one} takes ${Buffer.byteLength(text(one))} bytes`);
  }
});

test('the README links to every page', () => {
  const listed = [...read(`${FOLDER}/README.md`).matchAll(/^- \[(FWK\dxx)\]\(\1\.md\): (.*)$/gm)];
  const pages = new Set([...sections.values()].map(({ page }) => page));
  assert.equal(
    listed.map(([, name]) => `${name}.md`),
    [...pages],
  );
  for (const [, name, title] of listed) assert.match(read(`${FOLDER}/${name}.md`), `# ${name}: ${title}\n`);
});

/** The files that report a code, by the code. */
const reporters = new Map<string, string[]>();
for (const file of productFiles)
  for (const [, one = ''] of code(file).matchAll(/'(FWK\d{3})'/g))
    reporters.set(one, [...(reporters.get(one) ?? []), file]);

/** The folder that a file belongs to: a plugin, a package, or another folder of the product. */
const folderOf = (file: string): string => /^(?:(?:plugins|packages)\/)?[^/]+/.exec(file)?.[0] ?? '';

/** How high a folder is: it may report the codes of lower folders. */
const floorOf = (folder: string): number =>
  [
    /^kernel$/,
    /^(?:scope|contributions)$/,
    /^(?:loader|peers)$/,
    /^plugins\/http$/,
    /^plugins\/context$/,
    /^plugins\//,
    /^app$/,
    /^testkit$/,
    /^(?:cli|packages\/.*)$/,
  ].findIndex((floor) => floor.test(folder));

test('every reported code is declared', () => {
  assert.equal(
    [...reporters.keys()].filter((one) => !titles.has(one)),
    [],
  );
});

test('every declared code is reported', () => {
  assert.equal(
    [...titles.keys()].filter((one) => !reporters.has(one)),
    [],
  );
});

test('each code is declared once, in the folder that reports it or in a lower one', () => {
  assert.is(declared.length, titles.size);
  const elsewhere = declared.flatMap(({ one, file }) => {
    const home = folderOf(file);
    assert.ok(floorOf(home) >= 0, file);
    return (reporters.get(one) ?? [])
      .filter((reporter) => folderOf(reporter) !== home && floorOf(folderOf(reporter)) <= floorOf(home))
      .map((reporter) => `${reporter} reports ${one}, which ${file} declares`);
  });
  assert.equal(elsewhere, []);
});

test('the published types list every code, and a misspelled code does not compile', async () => {
  const all = declared.filter(({ file }) => !file.startsWith('packages/')).map(({ one }) => `  '${one}',\n`);
  const wrong = {
    'lib/codes.ts': `import type {} from 'fwkit';
import type { ProblemCode } from 'fwkit/plugin';
export const codes: readonly ProblemCode[] = [
${all.join('')}];
export const own: ProblemCode = 'ACME-12';
export const misspelled: ProblemCode = 'FWK999'; //! TS2322 TS2820
`,
  };
  const made = project(wrong);
  const { missing, surplus } = compared(made, await tsc(made), wrong);
  assert.equal({ missing, surplus }, { missing: [], surplus: [] });
});

/** The text below `Wrong:` or `Right:` in a section. */
const partOf = (section: string, part: 'Wrong' | 'Right'): string => {
  const [, below = ''] = section.split(`\n${part}:\n`);
  return below.split('\nRight:\n')[0] ?? '';
};

/** The code blocks of a section that are files of a project. */
const filesOf = (part: string): Readonly<Record<string, string>> => {
  const blocks = [...part.matchAll(/^```ts\n\/\/ (src\/.*)\n([\s\S]*?)^```$/gm)];
  return Object.fromEntries(blocks.map(([, file = '', source = '']) => [file.replace(/^src\//, ''), source]));
};

/**
 * Applies the fix on the page: new files, another default export in the last file, or a command that moves or removes a
 * file.
 */
function mended(wrong: Readonly<Record<string, string>>, right: string): Project | undefined {
  const [last = '', text = ''] = Object.entries(wrong).at(-1) ?? [];
  const [, exported] = /^```ts\n(export default [\s\S]*?)^```$/m.exec(right) ?? [];
  const [, command] = /^```sh\n((?:mkdir|mv|rm) .*)\n```$/m.exec(right) ?? [];
  const files = {
    ...filesOf(right),
    ...(exported && { [last]: text.replace(/export default [\s\S]*/, () => exported) }),
  };
  if (command === undefined && Object.keys(files).length === 0) return undefined;
  const made = project({ ...wrong, ...files });
  if (command !== undefined) execFileSync('sh', ['-c', command], { cwd: made.root });
  return made;
}

/** The rules of fwk doctor in the sources, each with its code. */
const rules = productFiles.flatMap((file) =>
  [...code(file).matchAll(/\brule: '([\w-]+)'(?:,\s*code: '(FWK\d{3})')?/g)].map(([, rule = '', own]) => ({
    rule,
    own,
  })),
);
const found = new Set(rules.map(({ own }) => own));

test('every fwk doctor rule has a code, a row on the doctor page, and its name in the section', () => {
  assert.ok(rules.length > 17);
  const manual = read('docs/operate/doctor.md');
  for (const { rule, own = '' } of rules) {
    assert.ok(titles.has(own), `${rule} has no code`);
    assert.match(text(own), `\`${rule}\``, own);
    const row = manual.split('\n').find((line) => line.split('|')[1]?.includes(`\`${rule}\``)) ?? '';
    // One rule may have two codes: one for a missing secret, one for a short secret.
    const [, title, code = ''] = /\[([^\]]*)\]\(\.\.\/errors\/FWK\dxx\.md#(fwk\d{3})-/.exec(row) ?? [];
    const shown = code.toUpperCase();
    assert.ok(
      rules.some((one) => one.rule === rule && one.own === shown),
      `${rule}: ${row}`,
    );
    assert.is(title, titles.get(shown));
  }
});

test('every error that a test expects has a code', () => {
  const files = list('testkit/app');
  assert.ok(files.length > 5);
  assert.equal(
    files.filter((file) => /\bnew (?:Type|Range)?Error\(/.test(code(file))),
    [],
  );
});

/** The problems that a start reports, or `fwk doctor` if the mistake does not prevent a start. */
async function reported(one: string, made: Project): Promise<string> {
  if (found.has(one)) {
    const { stdout, stderr } = await fwk(made, 'doctor');
    return stdout + stderr;
  }
  try {
    await (await createTestApp({ dir: made.root })).close();
    return '';
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

for (const one of titles.keys()) {
  const wrong = filesOf(partOf(text(one), 'Wrong'));
  if (Object.keys(wrong).length === 0) continue;
  test(`${one}: the wrong example reports the code, and the right example does not`, async () => {
    assert.match(await reported(one, project(wrong)), new RegExp(`^ *${one} `, 'm'));
    const right = mended(wrong, partOf(text(one), 'Right'));
    if (right) assert.not.match(await reported(one, right), found.has(one) ? one : 'FWK');
  });
}

test.run();
