import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, fwk, start } from '../../harness/fwk.js';
import { listing } from '../../harness/listing.js';
import { layouts } from '../../harness/project.js';
import { refusal } from '../../harness/refusal.js';
import { configFile } from '../../harness/source.js';
import { dependencies, expected, filesWith, flags, folder, modules, others, scripts } from './scaffold.js';

for (const layout of layouts) {
  const test = suite(layout);

  test('an empty folder becomes a project, and every file is listed', async () => {
    const made = folder({}, layout);
    const { status, stdout, stderr } = await fwk(made, ...flags(layout));
    assert.equal([status, stderr], [0, '']);
    assert.equal(Object.keys(listing(made)), expected(made));
    assert.equal(
      filesWith(stdout, 'written').sort(),
      expected(made).filter((file) => !file.startsWith('.fwk/')),
    );
    assert.match(stdout, /Next:\n(.*\n)* *npm run dev/);
    assert.not.match(stdout, 'npm install');
    assert.equal(JSON.parse(made.read('package.json')), {
      name: path.basename(made.root).toLowerCase(),
      private: true,
      type: 'module',
      scripts: scripts(layout),
      ...dependencies(layout),
    });
  });

  test('Git ignores only generated files and secrets', async () => {
    const made = folder({}, layout);
    await fwk(made, ...flags(layout));
    const git = (...args: string[]) => ended(start('git', args, made.root), 'git');
    await git('init');
    const secret = ['.env', '.env.local', '.env.production.local'];
    const shown = ['.env.example', '.env.production', 'main.ts'].map(made.label);
    const out = ['.fwk/types.d.ts', 'dist/main.js', 'node_modules/x/index.js', ...secret];
    const { stdout } = await git('check-ignore', ...out, ...shown);
    assert.equal(stdout.trim().split('\n'), out);
  });

  test('an existing .gitignore is completed once', async () => {
    const made = folder({ '.gitignore': 'dist\n!.env.local' }, layout);
    const { status, stdout } = await fwk(made, ...flags(layout));
    assert.is(status, 0);
    assert.ok(filesWith(stdout, 'written').includes('.gitignore'), stdout);
    const text = 'dist\n!.env.local\nnode_modules/\n.fwk/\nuploads/\n.env\n.env.*.local\n';
    assert.is(made.read('.gitignore'), text);
    const again = await fwk(made, ...flags(layout));
    assert.is(made.read('.gitignore'), text);
    assert.equal(filesWith(again.stdout, 'written'), []);
  });

  test('the placeholder test script of npm is replaced, and an existing "dev" script is kept', async () => {
    const placeholder = 'echo "Error: no test specified" && exit 1';
    const scripts = { test: placeholder, dev: 'nodemon app.js' };
    const made = folder({ 'package.json': JSON.stringify({ scripts }) }, layout);
    const { stdout, stderr } = await fwk(made, ...flags(layout));
    const { scripts: now } = JSON.parse(made.read('package.json'));
    assert.equal([now.test, now.dev], ['fwk test', 'nodemon app.js']);
    assert.not.match(stderr, '"test"');
    assert.match(stdout, /^ {2}npx fwk dev +serves it at/m);
    made.write('package.json', JSON.stringify({ scripts: { test: `${placeholder}23`, dev: 'fwk dev' } }));
    assert.match((await fwk(made, ...flags(layout))).stdout, /^ {2}npm run dev +serves it at/m);
    assert.is(JSON.parse(made.read('package.json')).scripts.test, `${placeholder}23`);
  });

  test('a second run skips every file', async () => {
    const made = folder({}, layout);
    await fwk(made, ...flags(layout));
    made.write('main.ts', '// mine\n');
    const before = listing(made);
    const { status, stdout, stderr } = await fwk(made, ...flags(layout));
    assert.equal([status, stderr], [0, '']);
    assert.equal(listing(made), before);
    const skipped = [...modules.map(made.label), ...others, ...(layout === 'ts' ? ['tsconfig.json'] : [])];
    assert.equal(filesWith(stdout, 'skipped').sort(), skipped.sort());
    assert.equal(filesWith(stdout, 'written'), []);
    assert.match(stdout, '--force');
  });

  test('--force overwrites files, but not package.json', async () => {
    const fresh = folder({}, layout);
    await fwk(fresh, ...flags(layout));
    const made = folder({}, layout);
    await fwk(made, ...flags(layout));
    for (const file of [...modules, ...others]) made.write(file, '// mine\nexport default {};\n');
    const mine = JSON.stringify({
      name: 'mine',
      type: 'module',
      scripts: { dev: 'mine', build: 'b', start: 's', test: 't', check: 'c' },
      ...dependencies('ts'),
    });
    made.write('package.json', mine);
    const { status, stdout } = await fwk(made, ...flags(layout, '--force'));
    assert.is(status, 0);
    const readme = `# ${path.basename(made.root).toLowerCase()}\n`;
    assert.ok(made.read('README.md').startsWith(readme));
    const same = { 'package.json': mine, 'README.md': made.read('README.md') };
    assert.equal(listing(made), { ...listing(fresh), ...same });
    assert.equal(filesWith(stdout, 'skipped'), []);
  });

  test('package.json gets missing entries and keeps its formatting', async () => {
    const text =
      '{\r\n\t"name": "mine",\r\n\t"scripts": {\r\n\t\t"start": "node other.js",\r\n\t\t"lint": "x"\r\n\t},\r\n\t"version": "1.0.0",\r\n\t"dependencies": {\r\n\t\t"fwkit": "file:fwkit.tgz"\r\n\t}\r\n}';
    const made = folder({ 'package.json': text }, layout);
    const { status, stderr } = await fwk(made, ...flags(layout));
    assert.is(status, 0);
    const { test: run, check } = scripts(layout);
    const added = [`"test": "${run}"`, `"check": "${check}"`];
    const after = `{\r\n\t"name": "mine",\r\n\t"scripts": {\r\n\t\t"start": "node other.js",\r\n\t\t"lint": "x",\r\n\t\t"dev": "fwk dev",\r\n\t\t"build": "fwk build",\r\n\t\t${added.join(',\r\n\t\t')}\r\n\t},\r\n\t"version": "1.0.0",\r\n\t"dependencies": {\r\n\t\t"fwkit": "file:fwkit.tgz"\r\n\t},\r\n\t"type": "module",\r\n\t"devDependencies": {\r\n\t\t"@fwkit/build": "^0.1.0"`;
    assert.ok(made.read('package.json').startsWith(after), made.read('package.json'));
    assert.match(stderr, 'package.json keeps its own script "start".');
    const once = made.read('package.json');
    await fwk(made, ...flags(layout));
    assert.is(made.read('package.json'), once);
  });

  test('reports fwkit as a development dependency', async () => {
    const made = folder({ 'package.json': '{ "devDependencies": { "fwkit": "^0.1.0" } }\n' }, layout);
    const { stderr } = await fwk(made, ...flags(layout));
    assert.match(stderr, 'move it to "dependencies"');
    assert.is(JSON.parse(made.read('package.json')).dependencies, undefined);
  });

  test('"type": "commonjs" becomes "module", and this is reported', async () => {
    const made = folder({ 'package.json': '{\n    "type": "commonjs"\n}\n' }, layout);
    const { stderr } = await fwk(made, ...flags(layout));
    assert.match(made.read('package.json'), /^\{\n {4}"type": "module",\n {4}"scripts"/);
    assert.match(stderr, '"commonjs"');
  });

  test('a package.json that cannot be merged is rejected before any file is written', async () => {
    for (const [text, sentence] of [
      ['{ "name": ', 'package.json: is not JSON'],
      ['[]', 'package.json: does not contain a JSON object'],
      ['{ "scripts": "none" }', 'package.json: has "scripts", which is not an object'],
    ] as const) {
      const made = folder({ 'package.json': text }, layout);
      assert.match(await refusal(made, ...flags(layout)), sentence);
      assert.equal(listing(made), { 'package.json': text });
    }
  });

  test('omits the files of disabled plugins', async () => {
    const config = (names: readonly string[]) => ({
      'fwk.config.ts': configFile(`{ disable: ${JSON.stringify(names)} }`),
    });
    const without: Readonly<Record<string, RegExp>> = {
      context: /services|di\//,
      api: /api\//,
      middlewares: /middlewares/,
      web: /web\/|views\/|public\//,
      views: /views\/|public\//,
      static: /public\//,
    };
    for (const [name, gone] of Object.entries(without)) {
      const made = folder(config([name]), layout);
      assert.is((await fwk(made, ...flags(layout))).status, 0);
      const files = Object.keys(listing(made));
      assert.equal(
        files,
        expected(made).filter((file) => !gone.test(file)),
      );
    }
    const made = folder(config(['scaffold']), layout);
    const before = listing(made);
    const { status, stdout } = await fwk(made, ...flags(layout));
    assert.is(status, 0);
    assert.match(stdout, '"scaffold" is disabled');
    assert.equal(listing(made), before);
  });

  test('executes no file of the project', async () => {
    const made = folder({}, layout);
    await fwk(made, ...flags(layout));
    for (const file of ['main.ts', 'services/greeter.ts', 'api/harm.get.ts'])
      made.write(file, `import { writeFileSync } from 'node:fs';\nwriteFileSync('harm.txt', '');\n`);
    assert.is((await fwk(made, ...flags(layout))).status, 0);
    assert.not.ok(made.exists('harm.txt'));
  });

  test('--dir sets the target, and the next steps name it', async () => {
    const made = folder({}, layout);
    const { stdout } = await fwk({ root: '/' }, ...flags(layout, '--dir', made.root));
    assert.equal(Object.keys(listing(made)), expected(made));
    assert.match(stdout, `cd ${made.root}`);
  });

  test.run();
}
