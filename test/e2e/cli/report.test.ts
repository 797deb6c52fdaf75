import { spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bin } from '../../harness/installed.js';
import { type Files, layouts, type Project, project } from '../../harness/project.js';
import { refusal } from '../../harness/refusal.js';
import { configFile, tells } from '../../harness/source.js';

const broken = `import { get } from 'fwkit';\n\nexport default get(() => {;\n`;
const config = configFile('{ plugin: [], http: { bodyLimit: -1 } }');

/** stderr of a command under environment variables about colors. */
function colours(made: Project, env: NodeJS.ProcessEnv): string {
  const { NO_COLOR: _, FORCE_COLOR: __, ...rest } = process.env;
  const { stderr } = spawnSync(bin('fwk'), ['routes'], {
    cwd: made.root,
    encoding: 'utf8',
    env: { ...rest, ...env },
  });
  return stderr;
}

for (const layout of layouts) {
  const test = suite(layout);

  test('shows the source below the message if a file does not parse', async () => {
    const made = project({ 'api/a.ts': broken, 'api/b.ts': 'export default 1;' }, layout);
    const stderr = await refusal(made, 'routes');
    const [head, first, ...rest] = stderr.trimEnd().split('\n');
    assert.is(head, `2 problems in ${made.root}:`);
    assert.match(String(first), `  FWK107 ${made.label('api/a.ts')}:4: does not parse: `);
    assert.equal(rest.slice(0, 3), ['    3 | export default get(() => {;', '    4 | ', '      | ^']);
    assert.match(String(rest[3]), `  FWK105 ${made.label('api/b.ts')}: has a default export`);
    assert.equal(rest.slice(4), ['Read more: npx fwk docs FWK107, or any other code above']);
  });

  test('names the file in each of several problems', async () => {
    const made = project({ 'fwk.config.ts': config, 'api/a.ts': tells('get', 'a') }, layout);
    assert.equal((await refusal(made, 'routes')).trimEnd().split('\n'), [
      `2 problems in ${made.root}:`,
      `  FWK201 ${made.label('fwk.config.ts')}: has an unknown key "plugin". Did you mean "plugins"?`,
      `  FWK202 ${made.label('fwk.config.ts')}: "http.bodyLimit" must be a whole number of bytes, at least 0; it is -1.`,
      'Read more: npx fwk docs FWK201, or any other code above',
    ]);
  });

  test('describes a missing module once, with the files that import it', async () => {
    const importer = `import './one.js';\n${tells('get', 'a')}`;
    const files = ['a', 'b', 'c', 'd'].map((name) => [`api/${name}.ts`, importer]);
    const made = project(Object.fromEntries(files), layout);
    const [head, first, ...rest] = (await refusal(made, 'routes')).trimEnd().split('\n');
    assert.is(head, `4 problems in ${made.root}:`);
    assert.match(
      String(first),
      `  FWK108 ${made.label('api/a.ts')}:1: cannot be linked: Cannot find module './one.js'`,
    );
    const others = ['b', 'c', 'd'].map((name) => `${made.label(`api/${name}.ts`)}:1`).join(', ');
    assert.is(rest.at(-2), `      The same in ${others}.`);
    assert.is(rest.filter((row) => row.includes('Cannot find module')).length, 0);
  });

  test('uses colors only for terminals, and respects NO_COLOR', async () => {
    const files: Files = { 'api/a.ts': broken };
    const made = project(files, layout);
    const plain = colours(made, {});
    assert.match(plain, 'does not parse');
    assert.not.match(plain, '\u001b');
    // Node warns that it would have it otherwise.
    assert.not.match(colours(made, { FORCE_COLOR: '1', NO_COLOR: '1' }), '\u001b');
    const coloured = colours(made, { FORCE_COLOR: '1' });
    assert.match(coloured, '\u001b[31m');
    assert.is(stripVTControlCharacters(coloured), plain);
  });

  test.run();
}
