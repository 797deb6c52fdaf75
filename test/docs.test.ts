import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { documents, exportedBy, headingIds, linksOf, pathsOf, spokenOf } from './harness/documents.js';
import { repo } from './harness/installed.js';

// What the documents name is there, and what is published is in the documents.

const test = suite('docs');

test('there is something to look at', () => {
  for (const file of ['README.md', 'CONTRIBUTING.md', 'docs/guide/routes.md', 'docs/internals/request.md'])
    assert.ok(documents().includes(file), file);
  assert.ok(documents().flatMap(linksOf).length > 30);
  assert.ok(documents().flatMap(pathsOf).length > 100);
});

test('every relative link leads to a file, and to a heading of it', () => {
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

test('no document has the marks of a merge', () => {
  const marked = [...documents(), 'CHANGELOG.md'].filter((file) =>
    /^(?:<{7}|={7}|>{7})(?: |$)/m.test(readFileSync(path.join(repo, file), 'utf8')),
  );
  assert.equal(marked, []);
});

test('every path of this repository that a document names exists', () => {
  const missing = documents().flatMap((file) =>
    pathsOf(file)
      .filter((named) => !existsSync(path.join(repo, named)))
      .map((named) => `${file} names ${named}`),
  );
  assert.equal(missing, []);
});

// The manual lists every other page by itself.
test('the manual, and every page about the inside, is reached from the README', () => {
  const reached = new Set(['README.md']);
  for (const file of reached) for (const { to } of linksOf(file)) if (to.endsWith('.md')) reached.add(to);
  assert.equal(
    documents().filter((file) => /^docs\/(README\.md|internals\/)/.test(file) && !reached.has(file)),
    [],
  );
});

test('every public name is in the documents', () => {
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
