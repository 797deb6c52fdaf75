import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { documents } from '../../harness/documents.js';
import { fwk } from '../../harness/fwk.js';
import { installed } from '../../harness/installed.js';

const test = suite('fwk docs');

const folder = path.join(installed(), 'node_modules/fwkit/docs');
const isPacked = process.env.FWK_INSTALLED !== undefined;
/** A directory without a project. */
const nowhere = mkdtempSync(path.join(tmpdir(), 'fwk-docs-'));
test.after(() => rmSync(nowhere, { recursive: true }));

const docs = (...words: string[]) => fwk({ root: nowhere }, 'docs', ...words);

async function printed(...words: string[]): Promise<string> {
  const { status, stdout, stderr } = await docs(...words);
  assert.is(status, 0, stderr);
  assert.is(stderr, '');
  return stdout;
}

const shipped = () =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.md') && !file.startsWith('internals/'))
    .sort();

test('the package contains every page for users', () => {
  const pages = documents().filter((file) => /^docs\/(?!internals\/)/.test(file));
  assert.ok(pages.length > 40);
  assert.equal(
    shipped().map((file) => `docs/${file}`),
    pages.sort(),
  );
  if (isPacked) assert.not.ok(readdirSync(folder).includes('internals'));
});

if (isPacked)
  test('every relative link in the package resolves to a file in the package', () => {
    const top = path.dirname(folder);
    const files = [...shipped().map((file) => `docs/${file}`), 'README.md'];
    let count = 0;
    const dead = files.flatMap((file) => {
      const text = readFileSync(path.join(top, file), 'utf8').replace(
        /^ *```[\s\S]*?^ *```$|`[^`\n]+`/gm,
        '',
      );
      return [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)]
        .map(([, to = '']) => to)
        .filter((to) => !/^[a-z]+:/.test(to))
        .filter((to) => {
          count++;
          return !statSync(path.join(top, path.dirname(file), to), { throwIfNoEntry: false });
        })
        .map((to) => `${file}: ${to}`);
    });
    assert.ok(count > 100);
    assert.equal(dead, []);
  });

test('lists every page by topic, also outside a project', async () => {
  const text = await printed();
  for (const line of [/^Operations$/m, /^ {2}guide\/sessions +\S.+$/m, /^ {2}reference\/options +\S.+$/m])
    assert.match(text, line);
  const topics = text.split('\n\n');
  assert.match(topics.at(-1) ?? '', realpathSync(folder));
  for (const file of shipped().filter((one) => !one.includes('README')))
    assert.match(text, file.replace(/\.md$/, ''));
});

test('finds a page by its name or path in any spelling', async () => {
  const page = await printed('sessions');
  assert.match(page, /^# Sessions\n/);
  assert.match(page, /^## Login and logout$/m);
  // Code is indented, and links name the argument for `fwk docs`.
  assert.match(page, /^ {4}import \{ di \} from 'fwkit';$/m);
  assert.match(page, '(operate/workers)');
  assert.not.match(page, '](');
  assert.is(page, stripVTControlCharacters(page));
  for (const word of ['guide/sessions', 'guide/sessions.md', 'docs/guide/sessions.md', 'SESSIONS'])
    assert.is(await printed(word), page, word);
  assert.match(await printed('rateLimit'), /^# Rate limits\n/);
});

test('prints only the section of an error code', async () => {
  for (const word of ['FWK104', 'fwk104']) {
    const text = await printed(word);
    assert.match(text, /^docs\/errors\/FWK1xx\.md › FWK104: .+\n\n## FWK104: /);
    assert.match(text, /\n\nWrong:\n\n[\s\S]*\n\nRight:\n\n/);
    assert.not.match(text, 'FWK105');
  }
});

test('prints a section', async () => {
  for (const words of [
    ['guide/sessions#login-and-logout'],
    ['Login and logout'],
    ['login', 'and', 'logout'],
  ]) {
    const text = await printed(...words);
    assert.match(text, /^docs\/guide\/sessions\.md › Login and logout\n\n## Login and logout\n/);
    assert.not.match(text, '## Lifetime');
  }
});

test('prints the reference row of an option, an export or a command, and where it is explained', async () => {
  const option = await printed('http.bodyLimit');
  assert.match(option, /^docs\/reference\/options\.md › HTTP\n\nhttp\.bodyLimit\n {2}Default: `1048576`\n/);
  const name = await printed('renewSession');
  assert.match(name, 'docs/reference/api.md');
  assert.match(name, 'docs/guide/sessions.md › Login and logout');
  assert.match(await printed('scaffold'), /^fwk scaffold .*--js/m);
});

test('lists the query for each match if there are several', async () => {
  const text = await printed('options');
  const address = /^ {2}(\S+#options) /m.exec(await printed('Options of a route'))?.[1];
  assert.match(text, /^# Options\n/);
  if (address !== undefined) assert.match(await printed(address), /Options/);
  const several = await printed('multipart');
  assert.match(several, /^\d+ places mention "multipart"\. Pass one of them to fwk docs:\n\n {2}\S+ {2,}\S/);
  const [, first = ''] = /^ {2}(\S+)/m.exec(several) ?? [];
  assert.match(await printed(first), /multipart/i);
});

test('suggests similar names for an unknown one', async () => {
  const { status, stdout, stderr } = await docs('sesions');
  assert.is(status, 1);
  assert.is(stdout, '');
  assert.match(stderr, /^FWK604 The documentation has nothing about "sesions"\. Did you mean "sessions"/);
  assert.match((await docs('xyzzyxyzzy')).stderr, 'fwk docs lists all pages.');
});

test.run();
