import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, fwk, start } from '../../harness/fwk.js';
import { bin } from '../../harness/installed.js';
import { listing } from '../../harness/listing.js';
import { layouts } from '../../harness/project.js';
import { refusal } from '../../harness/refusal.js';
import { tells } from '../../harness/source.js';
import { expected, filesWith, flags, folder } from './scaffold.js';

const mixed = suite('mixed situations');

mixed('the next steps use the commands of the package manager', async () => {
  for (const [agent, dev, routes] of [
    ['pnpm/10.1.0 npm/? node/v22.1.0 linux x64', 'pnpm dev', 'pnpm exec fwk routes'],
    ['yarn/1.22.22 npm/? node/v22.1.0 linux x64', 'yarn dev', 'yarn fwk routes'],
    ['npm/11.1.0 node/v22.1.0 linux x64', 'npm run dev', 'npx fwk routes'],
    ['', 'npm run dev', 'npx fwk routes'],
  ] as const) {
    const made = folder({}, 'ts');
    const child = start(
      '/usr/bin/env',
      [`npm_config_user_agent=${agent}`, bin('fwk'), 'scaffold'],
      made.root,
    );
    const { stdout } = await ended(child, 'fwk scaffold');
    assert.match(
      stdout,
      new RegExp(`^  ${dev} +serves it at http://localhost:3000/\n  ${routes} +prints`, 'm'),
    );
  }
});

mixed('a JavaScript project gets no TypeScript files or syntax', async () => {
  const made = folder({}, 'js');
  await fwk(made, 'scaffold', '--js');
  for (const [file, text] of Object.entries(listing(made))) {
    assert.not.match(file, /\.m?ts$|tsconfig/);
    assert.not.match(text, /\btype |: string|HttpRequest|dist\/main/);
  }
});

mixed('rejects a project in the other layout', async () => {
  for (const [there, given, sentence] of [
    ['js', [], 'Give --js, or move api into src/.'],
    ['ts', ['--js'], 'Omit --js, or move src/api to another place.'],
  ] as const) {
    const made = folder({ 'api/x.get.ts': tells('get', 'x') }, there);
    // In the language of the layout, nothing has to be decided.
    made.write('tsconfig.json', '{}');
    const before = listing(made);
    for (const force of [[], ['--force']])
      assert.match(await refusal(made, 'scaffold', ...given, ...force), sentence);
    assert.equal(listing(made), before);
  }
});

mixed('completes a JavaScript project without --js', async () => {
  const made = folder({ 'api/x.get.ts': tells('get', 'x') }, 'js');
  assert.is((await fwk(made, 'scaffold')).status, 0);
  assert.ok(Object.keys(listing(made)).includes('fwk.config.js'));
});

mixed('a src/ without sources of the project determines no layout', async () => {
  for (const layout of layouts) {
    const made = folder({ 'src/index.html': '<p>mine</p>' }, layout);
    assert.is((await fwk(made, ...flags(layout))).status, 0);
    assert.equal(Object.keys(listing(made)), [...expected(made), 'src/index.html'].sort());
  }
});

mixed('completes a project with JavaScript modules without duplicates', async () => {
  const made = folder({ 'lib/x.ts': 'export {};\n' }, 'ts');
  made.write('src/fwk.config.js', 'export default {};\n');
  made.write('src/services/greeter.mjs', '');
  const { stdout } = await fwk(made, 'scaffold');
  const files = Object.keys(listing(made));
  assert.ok(files.includes('src/fwk.config.js'));
  assert.not.ok(files.includes('src/fwk.config.ts') || files.includes('src/services/greeter.ts'));
  assert.equal(filesWith(stdout, 'skipped').sort(), ['src/fwk.config.js', 'src/services/greeter.mjs']);
});

mixed('reports obstacles before any file is written', async () => {
  const made = folder({ services: 'a file' }, 'js');
  const before = listing(made);
  assert.match(
    await refusal(made, 'scaffold', '--js'),
    /^ +FWK\d{3} services\/greeter\.js: cannot be read: ENOTDIR/m,
  );
  assert.equal(listing(made), before);
});

mixed('keeps and reports a tsconfig.json that excludes the types', async () => {
  const made = folder({ 'tsconfig.json': '{ "include": ["src"] }' }, 'ts');
  const { stdout, stderr } = await fwk(made, 'scaffold');
  assert.equal(filesWith(stdout, 'skipped'), ['tsconfig.json']);
  assert.match(stderr, '".fwk/**/*"');
});

mixed.run();
