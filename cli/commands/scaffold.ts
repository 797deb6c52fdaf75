import { join } from 'node:path';
import type { CommandRun } from '../../contributions/index.js';
import { isObject, type ProjectPaths } from '../../kernel/index.js';
import { findPackage, packageManager, readPackage } from '../../loader/index.js';
import { generate } from '../files/generate.js';
import { newPaths, openSources } from '../project.js';
import { listWritten } from '../terminal/report.js';

export async function run({ flags }: CommandRun): Promise<void> {
  const paths = newPaths(flags);
  const kernel = await openSources(paths);
  if (!kernel.plugins.has('scaffold'))
    return console.log('Nothing to generate: the plugin "scaffold" is disabled in fwk.config.');
  const written = await generate(kernel, paths, 'scaffold', flags);
  for (const line of listWritten(written)) console.log(line);
  // Lets the project compile immediately. Conflicts with the user's files have been handled already.
  if (paths.language === 'ts')
    await generate(kernel, paths, 'types', {}, ({ ifExists }) => ifExists === 'replace');
  console.log(`\n${nextSteps(paths, String(flags.dir))}`);
}

function nextSteps({ root }: ProjectPaths, directory: string): string {
  const { install, script, program } = packageManager(root);
  // An existing script with that name belongs to the user.
  const dev = startsDev(root) ? `${script} dev` : `${program} fwk dev`;
  const routes = `${program} fwk routes`;
  const commands = [
    `${dev.padEnd(routes.length)}    serves it at http://localhost:3000/`,
    `${routes}    prints its routes`,
  ];
  if (!REQUIRED_PACKAGES.every((name) => findPackage(join(root, 'package.json'), name)))
    commands.unshift(install);
  if (directory !== '.') commands.unshift(`cd ${directory}`);
  return ['Next:', ...commands.map((command) => `  ${command}`)].join('\n');
}

function startsDev(root: string): boolean {
  const { scripts } = readPackage(root) ?? {};
  return isObject(scripts) && /\bfwk dev\b/.test(String(scripts.dev));
}

const REQUIRED_PACKAGES = ['fwkit', '@fwkit/build'];
