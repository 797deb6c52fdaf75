import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { type Files, type Project, project } from '../../harness/project.js';
import { refusal } from '../../harness/refusal.js';
import { tells } from '../../harness/source.js';

const test = suite('commands of plugins');

const pluginText = (name: string, rest: string) => `
  import { definePlugin } from 'fwkit/plugin';
  export const ${name} = definePlugin({ name: '${name}', apply() {}, ${rest} });
`;
const config = (plugins: readonly string[], more = '') =>
  `${plugins.map((name) => `import { ${name} } from './lib/${name}.js';`).join('\n')}
  export default { plugins: [${plugins.join(', ')}], ${more} };\n`;

const greet = pluginText(
  'greeter',
  `commands: [{
    name: 'greet',
    description: 'Say hello to somebody.',
    operands: '<name> [more...]',
    flags: [
      { name: 'loud', description: 'In capitals' },
      { name: 'times', value: 'n', description: 'How often', fallback: '1' },
      { name: 'mark', value: 'text', description: 'How it ends' },
    ],
    load: () => import('./greet.js'),
  }, {
    name: 'fail',
    description: 'Throw.',
    load: async () => ({ run: async () => { throw new TypeError('no voice') } }),
  }, {
    name: 'list-kinds',
    description: 'Print the kinds of files.',
    load: async () => ({ run: async ({ open, paths }) => {
      const kernel = await open();
      const { routes, close } = await kernel.resolve();
      console.log(typeof paths().root, routes.map(({ label }) => label).join());
      await close();
    } }),
  }],`,
);

const files: Files = {
  'api/x.get.ts': tells('get', 'x'),
  'fwk.config.ts': config(['greeter']),
  'lib/greeter.ts': greet,
  'lib/greet.ts': `
    console.log('[loaded]');
    export async function run({ flags, operands }) {
      console.log(JSON.stringify([flags, operands]));
    }
  `,
};
const loaded = (stdout: string): unknown => JSON.parse(stdout.replace('[loaded]\n', ''));
const run = async (made: Project, ...args: string[]) => {
  const { status, stdout, stderr } = await fwk(made, ...args);
  assert.equal([status, stderr], [0, ''], stdout);
  return stdout;
};

test('a command gets its flags and operands, and is imported only when it runs', async () => {
  const made = project(files);
  const stdout = await run(made, 'greet', '--loud', 'Ada', '--mark', '007', 'Bob', '12');
  assert.match(stdout, /^\[loaded\]\n/);
  assert.equal(loaded(stdout), [{ loud: true, times: '1', mark: '007', dir: '.' }, ['Ada', 'Bob', '12']]);
  assert.equal(loaded(await run(made, 'greet', 'Ada', '--', '--loud')), [
    { times: '1', dir: '.' },
    ['Ada', '--loud'],
  ]);
  assert.not.match(await run(made, 'greet', '--help'), /\[loaded\]/);
});

test('a command opens the project', async () => {
  assert.is(await run(project(files), 'list-kinds'), 'string GET /api/x\n');
});

test('--help lists the commands of plugins with their flags', async () => {
  const made = project(files);
  for (const args of [['--help'], ['--help', '--dir', made.root]]) {
    const stdout = await run(made, ...args);
    for (const word of ['dev ', 'greet ', 'Say hello to somebody.', 'fail ']) assert.match(stdout, word);
  }
  const stdout = await run(made, 'greet', '--help');
  for (const word of ['greet <name> [more...]', '--loud', '--times', '(default 1)', '--dir'])
    assert.match(stdout, word);
});

test('--help outside a project, and built-in commands, import no config', async () => {
  const made = project({ ...files, 'fwk.config.ts': `console.log('[config]');\n${files['fwk.config.ts']}` });
  assert.match(await run(made, '--help'), /\[config\]/);
  assert.not.match(await run(made, 'types', '--help'), /\[config\]/);
  assert.not.match(await run(made, '--version'), /\[config\]/);
});

const sentences: readonly (readonly [args: readonly string[], sentence: string])[] = [
  [['gret'], 'There is no command "gret". Did you mean "greet"? fwk --help lists all.'],
  [['greet'], 'fwk greet needs <name>: fwk greet <name> [more...].'],
  [['greet', 'a', '--lowd'], 'There is no flag "--lowd" for fwk greet. Did you mean "--loud"?'],
  [['greet', 'a', '--times'], '--times needs a value: --times <n>.'],
  [['greet', 'a', '--loud', '--loud'], '--loud is given twice. Give it once.'],
  [['greet', 'a', '--loud=yes'], '--loud takes no value, not "yes".'],
  [['fail', 'x'], 'fwk fail takes no argument "x". Name a project with --dir.'],
  [['generate', 'types', 'x'], 'fwk generate takes no argument "x": fwk generate <target>.'],
  [['generate'], 'fwk generate needs <target>: fwk generate <target>.'],
  [['generate', 'nothing'], 'Nothing to generate: no plugin of this project emits a file for "nothing".'],
];

for (const [args, sentence] of sentences) {
  test(`fwk ${args.join(' ')}`, async () => {
    const [first = ''] = (await refusal(project(files), ...args)).split('\n');
    assert.is(first.replace(/^FWK60\d /, ''), sentence);
  });
}

test('an error names the command and its plugin', async () => {
  const { status, stdout, stderr } = await fwk(project(files), 'fail');
  assert.equal([status, stdout], [1, '']);
  const sentence = `Plugin "greeter" failed in command "fail": no voice. Fix it, or disable it with disable: ['greeter'].`;
  assert.match(
    stderr,
    new RegExp(
      `^FWK706 ${sentence.replace(/[[\].()]/g, '\\$&')}\n +at .*src/lib/greeter\\.ts:\\d+:\\d+\\)?\n`,
    ),
  );
});

test('disable removes the commands of a plugin', async () => {
  const made = project({ ...files, 'fwk.config.ts': config(['greeter'], `disable: ['greeter']`) });
  assert.not.match(await run(made, '--help'), /greet/);
  assert.match(
    await refusal(made, 'greet', 'x'),
    '"greet" is a command of plugin "greeter", which src/fwk.config.ts disables. Remove "greeter" from "disable".',
  );
});

test('two commands with the same name are a config error that names both', async () => {
  const other = pluginText('other', `commands: [{ name: 'greet', description: '', load() {} }],`);
  const two = project({
    ...files,
    'lib/other.ts': other,
    'fwk.config.ts': config(['greeter', 'other']),
  });
  const sentence =
    'src/fwk.config.ts: has two commands named "greet": of plugin "greeter" and of plugin "other". Rename one of them, or disable "other".';
  assert.match(await refusal(two, 'routes'), sentence);
  assert.match(await refusal(two, 'greet', 'x'), sentence);
  const builtin = project({
    'lib/other.ts': other.replace("'greet'", "'routes'"),
    'fwk.config.ts': config(['other']),
  });
  assert.match(
    await refusal(builtin, 'routes'),
    'has two commands named "routes": of fwk and of plugin "other". Rename one of them, or disable "other".',
  );
});

const names: Readonly<Record<string, readonly [command: string, sentence: string]>> = {
  'a command': ["name: 'constructor'", 'which has a command named "constructor". Choose another name.'],
  'a flag': [
    "name: 'x', flags: [{ name: 'constructor', description: '' }]",
    'whose command "x" has a flag "constructor". A name is lower case with dashes, such as "dry-run", and does not begin with "no-".',
  ],
  'a flag that begins with "no-"': [
    "name: 'x', flags: [{ name: 'no-color', description: '' }]",
    'whose command "x" has a flag "no-color". A name is lower case',
  ],
};

for (const [what, [command, sentence]] of Object.entries(names))
  test(`a command name that ${what} cannot have is a config error`, async () => {
    const text = pluginText('odd', `commands: [{ ${command}, description: '', load() {} }],`);
    const made = project({ 'lib/odd.ts': text, 'fwk.config.ts': config(['odd']) });
    assert.match(await refusal(made, 'routes'), `src/fwk.config.ts: has plugin "odd", ${sentence}`);
    const { status, stderr } = await fwk(made, '--help');
    assert.is(status, 0, stderr);
    assert.match(stderr, 'The commands of plugins are not known: ');
  });

test('a broken config does not affect --help', async () => {
  const made = project({ ...files, 'fwk.config.ts': `throw new Error('no plugins today');` });
  const { status, stdout, stderr } = await fwk(made, '--help');
  assert.is(status, 0);
  assert.match(stdout, 'Print the route table');
  const why = 'The commands of plugins are not known: FWK106 src/fwk.config.ts:1: throws when it is imported';
  assert.ok(stderr.startsWith(why), stderr);
  assert.is(stderr.trim().split('\n').length, 1, stderr);
  const refused = await refusal(made, 'greet', 'x');
  assert.match(refused, 'There is no command "greet".');
  assert.match(refused, why);
});

test('fwk generate writes the files of a target that a plugin adds', async () => {
  const made = project({
    'fwk.config.ts': config(['sdk']),
    'lib/sdk.ts': pluginText('sdk', '').replace(
      'apply() {}',
      `apply(hooks) {
        hooks.generate.tapPromise('sdk', async ({ target, emit }) => {
          if (target !== 'sdk') return;
          emit({ path: 'sdk/client.ts', contents: '// client\\n', ifExists: 'keep' });
        });
      }`,
    ),
  });
  assert.match(await run(made, 'generate', 'sdk'), /^written +sdk\/client\.ts\n$/);
  assert.match(await run(made, 'generate', 'sdk'), 'skipped   sdk/client.ts');
  assert.match(await run(made, 'generate', '--force', 'sdk'), 'unchanged sdk/client.ts');
});

test('fwk generate rejects a file without a complete description', async () => {
  const outputs = {
    out: `{ path: '../out.txt', contents: 'x', ifExists: 'replace' }`,
    nothing: 'undefined',
    number: `{ path: 5, contents: 'x', ifExists: 'replace' }`,
    unnamed: `{ path: '', contents: 'x', ifExists: 'replace' }`,
    empty: `{ path: 'mine.txt', ifExists: 'replace' }`,
    silent: `{ path: 'mine.txt', contents: 'x' }`,
    unknown: `{ path: 'mine.txt', contents: 'x', ifExists: 'constructor' }`,
  };
  const made = project({
    'mine.txt': 'mine',
    'fwk.config.ts': config(['sdk']),
    'lib/sdk.ts': pluginText('sdk', '').replace(
      'apply() {}',
      `apply(hooks) {
        hooks.generate.tapPromise('sdk', async ({ target, emit }) => {
          emit({ path: 'good.txt', contents: '', ifExists: 'replace' });
          ${Object.entries(outputs)
            .map(([target, output]) => `if (target === '${target}') emit(${output});`)
            .join('\n')}
        });
      }`,
    ),
  });
  for (const target of Object.keys(outputs)) {
    const stderr = await refusal(made, 'generate', target);
    assert.match(stderr, /(is not written: it is outside the project|must be .*)\. Fix the plugin/, target);
    assert.not.match(stderr, /^ +at /m, target);
  }
  assert.is(made.read('mine.txt'), 'mine');
  assert.not.ok(made.exists('good.txt'));
});

test.run();
