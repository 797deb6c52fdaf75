import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { documents, headingIds, linksOf, pathsOf, spokenOf } from './harness/documents.js';
import { repo } from './harness/installed.js';
import { code, exportedBy, list, ROOMS } from './harness/sources.js';

// The documents mention only names that exist, and document every published name.

const test = suite('docs');

test('finds documents', () => {
  for (const file of ['README.md', 'CONTRIBUTING.md', 'docs/guide/routes.md', 'docs/internals/request.md'])
    assert.ok(documents().includes(file), file);
  assert.ok(documents().flatMap(linksOf).length > 30);
  assert.ok(documents().flatMap(pathsOf).length > 100);
});

test('every relative link resolves to a file and a heading', () => {
  const broken = documents().flatMap((file) =>
    linksOf(file)
      .filter(({ to, id }) => {
        if (!existsSync(path.join(repo, to))) return true;
        return id !== undefined && !headingIds(to).includes(id);
      })
      .map(({ to, id }) => `${file} links to ${to}${id === undefined ? '' : `#${id}`}`),
  );
  assert.equal(broken, []);
});

test('no document contains merge conflict markers', () => {
  const marked = [...documents(), 'CHANGELOG.md'].filter((file) =>
    /^(?:<{7}|={7}|>{7})(?: |$)/m.test(readFileSync(path.join(repo, file), 'utf8')),
  );
  assert.equal(marked, []);
});

/** Rare words that have a plainer synonym. A method's name is allowed. */
const RARE = /\bmend(?:s|ed|ing)?\b(?!\(\))/i;

test('documents and messages use plain words', () => {
  const ofPackages = readdirSync(path.join(repo, 'packages'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !/(?:^|[/\\])(?:node_modules|dist)[/\\]/.test(file))
    .map((file) => `packages/${file.split(path.sep).join('/')}`);
  assert.ok(ofPackages.includes('packages/prove/README.md'));
  const pages = [...documents(), ...ofPackages, 'CHANGELOG.md'].map((file): [string, string] => [
    file,
    readFileSync(path.join(repo, file), 'utf8'),
  ]);
  // Strings are for users; comments are for contributors.
  const sources = [...ROOMS, 'packages', 'examples']
    .flatMap(list)
    .map((file): [string, string] => [file, code(file)]);
  const rare = [...pages, ...sources].flatMap(([file, text]) =>
    text.split('\n').flatMap((line, at) => (RARE.test(line) ? `${file}:${at + 1}: ${line.trim()}` : [])),
  );
  assert.equal(rare, []);
});

test('every repository path in a document exists', () => {
  const missing = documents().flatMap((file) =>
    pathsOf(file)
      .filter((named) => !existsSync(path.join(repo, named)))
      .map((named) => `${file} names ${named}`),
  );
  assert.equal(missing, []);
});

// `fwk docs` and the website list every other page.
test('the README links to the documentation and to every page for contributors', () => {
  const reached = new Set(['README.md']);
  for (const file of reached) for (const { to } of linksOf(file)) if (to.endsWith('.md')) reached.add(to);
  assert.equal(
    documents().filter((file) => /^docs\/(README\.md|internals\/)/.test(file) && !reached.has(file)),
    [],
  );
});

test('the documentation names every public export', () => {
  const manifest = JSON.parse(readFileSync(path.join(repo, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string }>;
  };
  const spoken = spokenOf(documents().filter((file) => file.startsWith('docs/')));
  const silent = Object.entries(manifest.exports).flatMap(([entry, target]) => {
    if (typeof target === 'string') return [];
    const source = target.types.replace('./dist/', '').replace('.d.ts', '.ts');
    const names = exportedBy(source);
    assert.ok(names.length > 0, source);
    return names.filter((name) => !spoken.has(name)).map((name) => `${entry}: ${name}`);
  });
  assert.equal(silent, []);
});

test.run();
