import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { transformSync } from 'oxc-transform';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { beginningOf, blocksOf, codeOf, documents, hiddenFilesOf } from './harness/documents.js';
import { dev, fwk } from './harness/fwk.js';
import { repo } from './harness/installed.js';
import { linkLibraries, linkRecipes } from './harness/libraries.js';
import { type Project, project, projectsFolder } from './harness/project.js';
import { createTestApp } from './harness/testing.js';
import { tscOfAll } from './harness/tsc.js';

// The code blocks of a page form a project that compiles and boots: blocks that name a file on their first line, and
// the other blocks beside them.

const test = suite('docs examples');

const pages = documents().filter((file) => /^docs\/(?!internals\/)/.test(file));
/**
 * Error pages also show wrong code, and other tests check that it is refused. The sections of `libraries.md` are
 * separate projects, which `e2e/recipes/libraries` runs with the libraries installed.
 */
const right = [
  'README.md',
  ...pages.filter((page) => !/^docs\/(?:errors\/|recipes\/libraries\.md)/.test(page)),
];
/** Packages that examples import besides fwkit. */
const LINKED = [
  '@types/ws',
  'pg',
  '@types/pg',
  'ioredis',
  '@redis/client',
  'express',
  '@types/express',
  'fastify',
  'bullmq',
  'jose',
];
/** A comment before a block marks it as a fragment. */
const MOST_FRAGMENTS = 4;

test('every page begins with an example', () => {
  assert.ok(pages.length > 15);
  assert.equal(
    pages
      .filter((page) => /^docs\/(guide|reference|operate|recipes)\//.test(page))
      .filter((page) => !/^```\w+\n/m.test(beginningOf(page))),
    [],
  );
});

/** `curl …` answers `…`, or 401; a later mention of the same command states the next answer. */
const ANSWERED = /`(curl [^`]+)` (?:answers|returns) (\d{3}|`[^`]+`)(?:, then (`[^`]+`))?/g;

/** Serves the app of a page, runs its curl commands and compares the answers with the page. */
async function answersAsSaid(page: string, app: Project): Promise<void> {
  const said = [...readFileSync(path.join(repo, page), 'utf8').replace(/^- /gm, '').matchAll(ANSWERED)];
  if (said.length === 0) return;
  const server = await dev(app);
  try {
    for (const [, command = '', ...expected] of said)
      for (const answer of expected.filter((one) => one !== undefined)) {
        const asked = command
          .replace('curl ', "curl -sS -w '\\n%{http_code}' ")
          .replace('localhost:3000', new URL(server.url).host);
        const { stdout } = await promisify(execFile)('sh', ['-c', asked], { cwd: app.root });
        const status = stdout.slice(-3);
        if (/^\d/.test(answer)) assert.is(status, answer, `${page}: ${command}`);
        else assert.match(stdout, answer.slice(1, -1), `${page}: ${command}`);
      }
  } finally {
    await server.stop();
  }
}

/** Blocks without a file name become modules of their own, in a directory in which fwk accepts any export. */
const filesOf = (page: string): [name: string, text: string][] => {
  const shown = blocksOf(page).flatMap(
    ({ language, file, text, given, isFragment }, index): [string, string][] => {
      if (file !== undefined) return [[file, text]];
      if (language !== 'ts' || isFragment) return [];
      return [[`test/block-${index}.ts`, `${given}\n${text}\nexport {};\n`]];
    },
  );
  return [...shown, ...hiddenFilesOf(page)].map(([name, text]) => [name.replace(/^src\//, ''), text]);
};

const apps = new Map<string, Project>();

test('the examples of every page compile', async () => {
  for (const page of right) {
    const files = filesOf(page);
    if (!files.some(([name]) => name.endsWith('.ts'))) continue;
    const app = project({
      'package.json': '{ "name": "shop", "private": true, "type": "module" }\n',
      ...Object.fromEntries(files),
    });
    linkLibraries(app, ...LINKED);
    if (page.startsWith('docs/recipes/')) linkRecipes(app);
    const types = await fwk(app, 'types');
    assert.is(types.status, 0, `${page}: ${types.stderr}`);
    apps.set(page, app);
  }
  const told = await tscOfAll([...apps.values()], { exactOptionalPropertyTypes: false });
  const pageOf = (file: string) =>
    [...apps].find(([, { root }]) => path.resolve(projectsFolder(), file).startsWith(`${root}/`))?.[0];
  assert.equal(
    told.map(({ file, line, message }) => `${pageOf(file)}: ${file}:${line} ${message}`),
    [],
  );
});

for (const page of right) {
  const files = filesOf(page);
  if (!files.some(([name]) => name.endsWith('.ts'))) continue;
  test(`the examples of ${page} run`, async () => {
    const app = apps.get(page);
    assert.ok(app);
    // An app without connections boots in this process, which takes a tenth of the time.
    if (!files.some(([name, text]) => /^(?:services|di)\//.test(name) || /\bplugins:/.test(text))) {
      await (await createTestApp({ dir: app.root })).close();
    } else {
      const { stdout, stderr } = await fwk(app, 'doctor', '--json');
      assert.equal(JSON.parse(stdout).boot, [], stderr);
    }
    await answersAsSaid(page, app);
  });
}

test('curl examples on some pages show the response', () => {
  const said = pages.flatMap((page) => [...readFileSync(path.join(repo, page), 'utf8').matchAll(ANSWERED)]);
  assert.ok(said.length >= 6, `${said.length}`);
});

test('few blocks are fragments', () => {
  const fragments = pages.flatMap((page) =>
    blocksOf(page)
      .filter(({ isFragment }) => isFragment)
      .map(() => page),
  );
  assert.ok(fragments.length <= MOST_FRAGMENTS, fragments.join('\n'));
});

test('JSON and JavaScript blocks parse', () => {
  const wrong = ['README.md', ...pages].flatMap((page) =>
    blocksOf(page).flatMap(({ language, text, isFragment }) => {
      if (isFragment) return [];
      try {
        if (language === 'json') JSON.parse(text);
        const { errors } = language === 'js' ? transformSync('block.js', text) : { errors: [] };
        return errors.map(({ message }) => `${page}: ${message}`);
      } catch (thrown) {
        return [`${page}: ${thrown}`];
      }
    }),
  );
  assert.equal(wrong, []);
});

test('every documented command and flag exists', async () => {
  const typed = right
    .filter((page) => page !== 'docs/reference/plugin-api.md')
    .flatMap((page) =>
      [...codeOf(page)].flatMap((text) =>
        [...text.matchAll(/(?<=^|[\s(])fwk ([a-z]+)((?: +[^\s|&;#>)]+)*)/gm)].map(
          ([, name = '', rest = '']) => ({
            page,
            name,
            flags: [...rest.matchAll(/--[a-z]+/g)].map(([flag]) => flag),
          }),
        ),
      ),
    );
  assert.ok(typed.length > 50, `${typed.length}`);
  // The commands on the page belong to a package.
  const app = project({
    'fwk.config.ts':
      "import { prove } from '@fwkit/prove';\nimport { queues } from '@fwkit/queue';\nexport default { plugins: [prove(), queues({ connection: () => {} })] };\n",
  });
  const known = new Map<string, string>();
  const wrong: string[] = [];
  for (const { page, name, flags } of typed) {
    if (!known.has(name)) {
      const { status, stdout } = await fwk(app, name, '--help');
      known.set(name, status === 0 ? stdout : '');
    }
    const help = known.get(name) ?? '';
    if (help === '') wrong.push(`${page}: fwk ${name}`);
    else for (const flag of flags) if (!help.includes(`${flag} `)) wrong.push(`${page}: fwk ${name} ${flag}`);
  }
  assert.equal(wrong, []);
});

test.run();
