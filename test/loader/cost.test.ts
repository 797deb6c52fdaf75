import { execFileSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { project } from './project.js';

const index = JSON.stringify(new URL('../../loader/index.js', import.meta.url));

/** The output of a program on stdout and stderr. */
const run = (program: string) =>
  execFileSync(process.execPath, ['--input-type=module', '--eval', `${program}`], {
    encoding: 'utf8',
    stdio: 'pipe',
  });

test('loads the transformer with the first source, not before', () => {
  const { at } = project({ 'a.ts': 'export const a: number = 1;' });
  const program = `import { sourceLoader } from ${index};
    const loaded = () => process.report.getReport().sharedObjects.some((file) => file.includes('oxc'));
    const before = loaded();
    await sourceLoader('.').import(${JSON.stringify(at('a.ts'))});
    console.log(before, loaded());`;
  assert.is(run(program), 'false true\n');
});

test('prints no warnings', () => {
  const { at } = project({ 'a.ts': `import 'node:fs';` });
  const program = `import { sourceLoader } from ${index};
    process.on('warning', (warning) => console.log(warning.message));
    await sourceLoader('.').import(${JSON.stringify(at('a.ts'))});
    process.emitWarning('mine');`;
  assert.is(run(program), 'mine\n');
});

test.run();
