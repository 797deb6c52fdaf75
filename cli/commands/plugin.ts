import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { builtins } from '../../app/builtins.js';
import type { CommandRun } from '../../contributions/index.js';
import { BootError, type Output } from '../../kernel/index.js';
import { packageManager } from '../../loader/index.js';
import { version } from '../command-line.js';
import { write } from '../files/write.js';
import {
  declarations,
  guide,
  index,
  manifest,
  namesOf,
  type PluginNames,
  readme,
  test,
  tsconfig,
} from '../plugin-package.js';
import { listWritten } from '../terminal/report.js';

/** Create the package of a plugin that works, with a test; print what was written and what comes next. */
export async function run({ flags, operands: [given = ''] }: CommandRun): Promise<void> {
  const names = namesOf(
    given,
    builtins().map(({ name }) => name),
  );
  const directory = String(flags.dir);
  const root = resolve(directory);
  const folder = join(root, names.package);
  if (!existsSync(root))
    throw new BootError({
      message: `--dir "${directory}" does not exist. Give the folder that ${names.package}/ is to be in.`,
      code: 'FWK605',
    });
  if (existsSync(folder) && flags.force !== true)
    throw new BootError({
      message: `${folder} exists already. Choose another name, or give --force to overwrite its files.`,
      code: 'FWK606',
    });
  const outputs = Object.entries(filesOf(names)).map(
    ([name, contents]): Output => ({ path: `${names.package}/${name}`, contents, ifExists: 'replace' }),
  );
  for (const line of listWritten(write(root, outputs))) console.log(line);
  console.log(`\n${nextSteps(names, join(directory, names.package))}`);
}

const filesOf = (names: PluginNames): Readonly<Record<string, string>> => ({
  'package.json': manifest(names, version()),
  'index.js': index(names),
  'index.d.ts': declarations(names),
  'guide.js': guide(names),
  'index.test.js': test(names),
  'tsconfig.json': tsconfig(),
  'README.md': readme(names),
  '.gitignore': 'node_modules/\n',
});

function nextSteps({ factory, package: name }: PluginNames, folder: string): string {
  const { add, install, script } = packageManager(folder);
  const steps = [
    [`cd ${folder}`, ''],
    [install, ''],
    [`${script} test`, 'tries it against the laws of plugins'],
    [`${script} check`, 'checks its types'],
  ].map(([command = '', what = '']) => `  ${what === '' ? command : `${command.padEnd(18)}${what}`}`);
  return [
    'Next:',
    ...steps,
    'In a project that is to use it:',
    `  ${add} ${resolve(folder)}`,
    `  and in fwk.config: import { ${factory} } from '${name}'; … plugins: [${factory}()]`,
  ].join('\n');
}
