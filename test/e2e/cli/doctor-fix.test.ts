import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ended, ended, fwk, start } from '../../harness/fwk.js';
import { listing } from '../../harness/listing.js';
import type { Project } from '../../harness/project.js';
import { unsampled } from '../../harness/sample.js';
import { configFile, di, route } from '../../harness/source.js';
import { type DoctorReport, doctor, doctorReport, placed, reading, scaffolded, service } from './doctor.js';

const git = (made: Project, ...args: string[]): Promise<Ended> => ended(start('git', args, made.root), 'git');

const test = suite('fwk doctor --fix');

test('--fix adds .env to .gitignore, but only reports an .env that Git tracks', async () => {
  const made = await scaffolded();
  await git(made, 'init', '-q');
  made.write('.env', 'A=1\n');
  made.write('.gitignore', '# mine\n.fwk/\nnode_modules/\n');
  assert.equal(placed(await doctorReport(made)), ['env-not-ignored .env']);
  await git(made, 'add', '-f', '.env');
  assert.equal(placed(await doctorReport(made)), ['env-committed .env', 'env-not-ignored .env']);
  const { fixed, findings } = await doctorReport(made, '--fix');
  assert.equal(
    [fixed.map(({ rule }) => rule), findings.map(({ rule }) => rule)],
    [['env-not-ignored'], ['env-committed']],
  );
  assert.is(made.read('.gitignore'), '# mine\n.fwk/\nnode_modules/\n.env\n');
  await git(made, 'rm', '-q', '--cached', '.env');
  assert.equal(placed(await doctorReport(made)), []);
});

unsampled(test)('additions use the line breaks of the file', async () => {
  const made = await scaffolded();
  await git(made, 'init', '-q');
  made.write('.env', 'A=1\n');
  made.write('.gitignore', 'node_modules/\r\n.fwk/');
  await doctorReport(made, '--fix');
  assert.is(made.read('.gitignore'), 'node_modules/\r\n.fwk/\r\n.env\r\n');
});

test('--fix corrects missing or stale generated types and keeps comments', async () => {
  const made = await scaffolded();
  const text =
    '{\n  // mine\n  "compilerOptions": { "module": "nodenext", "target": "es2023", "outDir": "dist", "strict": true },\n  "include": [\n    "src", // sources\n  ]\n}\n';
  made.write('tsconfig.json', text);
  made.write('api/new.get.ts', route('get', '() => 1'));
  assert.equal(placed(await doctorReport(made)), [
    'stale-types .fwk/types.d.ts',
    'types-not-included tsconfig.json',
  ]);
  // After a comment behind the last item, the end of the list is not certain.
  assert.equal(placed(await doctorReport(made, '--fix')), ['types-not-included tsconfig.json']);
  assert.is(made.read('tsconfig.json'), text);
  assert.match(made.read('.fwk/types.d.ts'), '/api/new');
  made.write('tsconfig.json', text.replace(', // sources', ','));
  assert.equal(placed(await doctorReport(made, '--fix')), []);
  assert.is(made.read('tsconfig.json'), text.replace('"src", // sources\n  ]', '"src", ".fwk/**/*"\n  ]'));
  const plain = await scaffolded();
  plain.write('tsconfig.json', plain.read('tsconfig.json').replace(', ".fwk/**/*"', ''));
  const before = plain.read('tsconfig.json');
  assert.equal(placed(await doctorReport(plain, '--fix')), []);
  assert.is(plain.read('tsconfig.json'), before.replace('["src"]', '["src", ".fwk/**/*"]'));
});

unsampled(test)('reports a package.json that would load modules as CommonJS', async () => {
  const made = await scaffolded();
  const { type: _, ...others } = JSON.parse(made.read('package.json'));
  made.write(
    'package.json',
    JSON.stringify({ ...others, dependencies: {}, devDependencies: { fwkit: '*' } }),
  );
  assert.equal(placed(await doctorReport(made)), [
    'package-type package.json',
    'production-dependency package.json',
  ]);
  made.write('old.js', `const x = require('x');\n`);
  assert.equal((await doctorReport(made, '--fix')).fixed, []);
  made.remove('old.js');
  assert.equal(
    (await doctorReport(made, '--fix')).fixed.map(({ rule }) => rule),
    ['package-type'],
  );
  assert.is(JSON.parse(made.read('package.json')).type, 'module');
});

unsampled(test)('reports a package of the config that a production install omits', async () => {
  const made = await scaffolded();
  made.write(
    'node_modules/@acme/plugin/package.json',
    '{ "name": "@acme/plugin", "type": "module", "exports": "./x.js" }',
  );
  made.write('node_modules/@acme/plugin/x.js', `export const acme = () => ({ name: 'acme', apply() {} });`);
  made.write(
    'fwk.config.ts',
    `import type { Some } from 'typescript';
import { acme } from '@acme/plugin';
${configFile('{ plugins: [acme()] }')}`,
  );
  const wanting = (members: object) =>
    made.write('package.json', JSON.stringify({ ...JSON.parse(made.read('package.json')), ...members }));
  wanting({ devDependencies: { '@acme/plugin': '*', typescript: '*' } });
  const { findings } = await doctorReport(made);
  assert.equal(placed({ findings } as DoctorReport), ['production-dependency package.json']);
  assert.match(
    findings[0]?.message ?? '',
    'has @acme/plugin in "devDependencies", and src/fwk.config.ts imports it',
  );
  wanting({ dependencies: { fwkit: '*', '@acme/plugin': '*' } });
  assert.equal(placed(await doctorReport(made)), []);
});

unsampled(test)('reports a second copy of fwkit', async () => {
  const made = await scaffolded();
  made.write('node_modules/other/package.json', '{ "name": "other" }');
  made.write('node_modules/other/node_modules/fwkit/package.json', '{ "name": "fwkit", "version": "9.9.9" }');
  const { dependencies, ...others } = JSON.parse(made.read('package.json'));
  made.write('package.json', JSON.stringify({ ...others, dependencies: { ...dependencies, other: '*' } }));
  const { findings } = await doctorReport(made);
  assert.equal(
    findings.map(({ rule }) => rule),
    ['two-copies'],
  );
  assert.match(findings[0]?.message ?? '', 'a second fwkit, 9.9.9, in node_modules/other/node_modules/fwkit');
});

unsampled(test)('reports session values without a mention of their secret', async () => {
  const made = await scaffolded({
    'di/user.ts': di('session', `() => ({ name: '' })`),
    'api/me.get.ts': reading('ctx.user.name'),
  });
  assert.equal(placed(await doctorReport(made)), ['session-secret src/di/user.ts']);
  assert.equal(placed(await doctorReport(made, '--fix')), []);
  assert.is(made.read('.env.example'), 'SESSION_SECRET=\n');
  made.write('.env', 'SESSION_SECRET=short\n');
  const { findings } = await doctorReport(made);
  assert.equal(
    findings.map(({ rule }) => rule),
    ['session-secret'],
  );
  assert.not.match(JSON.stringify(findings), '"short"');
});

test('a second --fix changes nothing, and rules are skipped by name', async () => {
  const made = await scaffolded({ 'services/unused.ts': service('{ a: 1 }') });
  made.write('api/new.get.ts', route('get', '() => 1'));
  const { stdout } = await doctor(made, '--fix');
  assert.match(stdout, /^fixed \.fwk\/types\.d\.ts: .* \(stale-types\)\n1 finding in /);
  const before = listing(made);
  assert.equal((await doctorReport(made, '--fix')).fixed, []);
  assert.equal(listing(made), before);
  assert.is((await fwk(made, 'doctor', '--skip', 'unused-value')).status, 0);
});

test.run();
