import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Place } from '../kernel/host.js';

/** What to do with a project that was just made in `directory`, as the user wrote it. */
export function nextSteps({ root }: Place, directory: string): string {
  const commands = [
    'npm run dev       serves it at http://localhost:3000/',
    'npx fwk routes    prints what it answers',
  ];
  if (!hasPackage(root)) commands.unshift('npm install fwkit');
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
