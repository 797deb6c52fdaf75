import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { builtins } from '../../app/builtins.js';
import type { CommandRun } from '../../contributions/index.js';
import { BootError, type Output } from '../../kernel/index.js';
import { packageManager } from '../../loader/index.js';
import { write } from '../files/write.js';
import { listWritten } from '../terminal/report.js';

/** The example that every new plugin is copied from, in the published package. */
const TEMPLATE = 'examples/plugins/warm-up';
const FILES = [
  'package.json',
  'index.js',
  'index.d.ts',
  'guide.js',
  'index.test.js',
  'tsconfig.json',
  'README.md',
];

export async function run({ flags, operands: [given = ''] }: CommandRun): Promise<void> {
  const names = namesOf(given);
  const name = `fwk-${given}`;
  const directory = String(flags.dir);
  const root = resolve(directory);
  const folder = join(root, name);
  if (!existsSync(root))
    throw new BootError({
      message: `--dir "${directory}" does not exist. Give the folder that ${name}/ is to be in.`,
      code: 'FWK605',
    });
  if (existsSync(folder) && flags.force !== true)
    throw new BootError({
      message: `${folder} exists already. Choose another name, or give --force to overwrite its files.`,
      code: 'FWK606',
    });
  const template = join(dirname(createRequire(import.meta.url).resolve('fwkit/package.json')), TEMPLATE);
  const texts = FILES.map((file): [string, string] => [file, readFileSync(join(template, file), 'utf8')]);
  // npm excludes files with this name from published packages.
  texts.push(['.gitignore', 'node_modules/\n']);
  const outputs = texts.map(
    ([file, text]): Output => ({
      path: `${name}/${file}`,
      contents: text.replace(/warm-up|warmUp|WarmUp|WARM-UP|WARM_UP/g, (form) => names[form] ?? form),
      ifExists: 'replace',
    }),
  );
  for (const line of listWritten(write(root, outputs))) console.log(line);
  console.log(`\n${nextSteps(names.warmUp ?? '', name, join(directory, name))}`);
}

function nextSteps(factory: string, name: string, folder: string): string {
  const { name: manager, add, install, script } = packageManager(folder);
  // Copied, not linked: a linked package would resolve the fwkit in its own node_modules.
  const copied = manager === 'npm' ? '--install-links ' : 'file:';
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
    `  ${add} ${copied}${resolve(folder)}`,
    `  and in fwk.config: import { ${factory} } from '${name}'; … plugins: [${factory}()]`,
  ].join('\n');
}

const KEBAB_CASE = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const MAX_LENGTH = 60;

/** Names that the template's files use for something else. */
const RESERVED_NAMES =
  'app assert await brand check config disable fixtures name option plugin plugins test undefined';

/** The variants of a name, by their counterpart in the template. Throws a BootError if `given` is not a valid plugin name. */
function namesOf(given: string): Readonly<Record<string, string>> {
  const refuse = (message: string): never => {
    throw new BootError({ message, code: 'FWK614' });
  };
  if (given.startsWith('fwk-'))
    refuse(`"${given}" begins with fwk-, which is put before the name anyway. Leave it out.`);
  if (!KEBAB_CASE.test(given))
    refuse(
      `"${given}" cannot be the name of a plugin. Use lower-case letters, digits and single dashes, such as "daily-report".`,
    );
  if (given.length > MAX_LENGTH)
    refuse(`"${given}" is longer than ${MAX_LENGTH} characters. Choose a shorter name.`);
  if (builtins().some(({ name }) => name === given))
    refuse(`"${given}" belongs to a built-in plugin. Choose another name.`);
  const factory = given.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  if (RESERVED_NAMES.split(' ').includes(factory) || isReserved(factory))
    refuse(`"${given}" cannot be the name of a function in its code. Choose another name.`);
  return {
    'warm-up': given,
    warmUp: factory,
    WarmUp: factory.charAt(0).toUpperCase() + factory.slice(1),
    'WARM-UP': given.toUpperCase(),
    WARM_UP: given.toUpperCase().replaceAll('-', '_'),
  };
}

function isReserved(name: string): boolean {
  try {
    return !new Function(`'use strict'; const ${name} = 0;`);
  } catch {
    return true;
  }
}
