import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { installed, repo } from '../../harness/installed.js';

// The published package exports the names of its entries and nothing else. test/architecture.test.ts limits the number
// of names, and test/docs.test.ts finds each of them in the documents.

const test = suite('exports');

/** The result of a module that runs in the install of fwkit. */
const evaluated = (script: string): unknown =>
  JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: installed(),
      encoding: 'utf8',
    }),
  );

const { exports } = JSON.parse(readFileSync(path.join(repo, 'package.json'), 'utf8')) as {
  exports: Record<string, string | { types: string }>;
};
const entries = Object.entries(exports).flatMap(([name, target]) =>
  typeof target === 'string'
    ? []
    : [[name.replace('.', 'fwkit'), target.types.replace('.d.ts', '.js')] as const],
);

test('each entry exports the same names as its source', async () => {
  const published = evaluated(`const names = {};
for (const entry of ${JSON.stringify(entries.map(([name]) => name))}) names[entry] = Object.keys(await import(entry)).sort();
console.log(JSON.stringify(names));`);
  const sources = entries.map(async ([name, file]) => {
    const source: object = await import(pathToFileURL(path.join(repo, file)).href);
    return [name, Object.keys(source).sort()];
  });
  assert.ok(sources.length > 5);
  assert.equal(published, Object.fromEntries(await Promise.all(sources)));
});

test('no other file of the package can be imported', () => {
  const inner = ['fwkit/dist/kernel/kernel.js', 'fwkit/cli/fwk.js', 'fwkit/plugins'];
  const codes = evaluated(`const codes = [];
for (const inner of ${JSON.stringify(inner)}) codes.push(await import(inner).then(() => 'imported', ({ code }) => code));
console.log(JSON.stringify(codes));`);
  assert.equal(
    codes,
    inner.map(() => 'ERR_PACKAGE_PATH_NOT_EXPORTED'),
  );
});

test('the licenses and the bill of materials include packages that a bundled package has inlined', () => {
  const read = (name: string) =>
    readFileSync(path.join(installed(), 'node_modules/fwkit/dist/bundle', name), 'utf8');
  const licenses = read('LICENSES.txt');
  const { components } = JSON.parse(read('sbom.cdx.json')) as {
    components: { name: string; version: string; purl: string; licenses: { license: { id: string } }[] }[];
  };
  for (const name of ['ajv', 'fast-uri', 'zod']) assert.match(licenses, new RegExp(`^${name} \\d`, 'm'));
  for (const { name, version, purl, licenses: own } of components) {
    assert.match(`\n${licenses}`, `\n${name} ${version}\n`);
    assert.is(purl, `pkg:npm/${name.replace('@', '%40')}@${version}`);
    assert.match(own[0]?.license.id ?? '', /^[\w.-]+$/);
  }
  const separators = licenses.match(/^-{80}$/gm) ?? [];
  assert.is(components.length, separators.length + 1);
});

test.run();
