import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ProjectPaths } from '../../kernel/internal.js';

/** What people type: to install a package, to run a script, and to run a program of a package. */
const MANAGERS = [
  { name: 'pnpm', add: 'pnpm add', script: 'pnpm', program: 'pnpm exec' },
  { name: 'yarn', add: 'yarn add', script: 'yarn', program: 'yarn' },
  { name: 'npm', add: 'npm install', script: 'npm run', program: 'npx' },
] as const;

/** What to do with a project that was just made in `directory`, as the user wrote it. */
export function nextSteps({ root }: ProjectPaths, directory: string): string {
  // Every package manager tells what it runs who runs it: `pnpm/10.1.0 npm/? node/v22.1.0 linux x64`.
  const [caller] = (process.env.npm_config_user_agent ?? '').split('/');
  const { add, script, program } = MANAGERS.find(({ name }) => name === caller) ?? MANAGERS[2];
  const dev = `${script} dev`;
  const routes = `${program} fwk routes`;
  const commands = [
    `${dev.padEnd(routes.length)}    serves it at http://localhost:3000/`,
    `${routes}    prints what it answers`,
  ];
  if (!hasPackage(root)) commands.unshift(`${add} fwkit`);
  if (directory !== '.') commands.unshift(`cd ${directory}`);
  return ['Next:', ...commands.map((command) => `  ${command}`)].join('\n');
}

function hasPackage(root: string): boolean {
  try {
    createRequire(join(root, 'package.json')).resolve('fwkit/package.json');
    return true;
  } catch {
    return false;
  }
}
