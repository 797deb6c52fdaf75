import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { atExit } from './cleanup.js';

export const repo = fileURLToPath(new URL('../../../', import.meta.url));

let folder: string | undefined;

/** The folder whose node_modules contains fwkit: the test run's install, or links to this repository. */
export function installed(): string {
  folder ??= process.env.FWK_INSTALLED ?? linked();
  return folder;
}

/** A program in node_modules/.bin of the install; for the compiler its native binary, which saves a start of Node. */
export function bin(name: string): string {
  const modules = path.join(installed(), 'node_modules');
  if (name !== 'tsc') return path.join(modules, '.bin', name);
  return path.join(modules, `@typescript/typescript-${process.platform}-${process.arch}/lib/tsc`);
}

function linked(): string {
  const made = realpathSync(mkdtempSync(path.join(tmpdir(), 'fwk-linked-')));
  atExit(() => rmSync(made, { recursive: true, force: true }));
  const modules = path.join(made, 'node_modules');
  mkdirSync(path.join(modules, '.bin'), { recursive: true });
  symlinkSync(repo, path.join(modules, 'fwkit'));
  for (const scope of ['@types', '@fwkit', '@typescript'])
    symlinkSync(path.join(repo, 'node_modules', scope), path.join(modules, scope));
  symlinkSync(path.join(repo, 'cli/fwk.js'), path.join(modules, '.bin/fwk'));
  symlinkSync(
    path.join(repo, 'packages/create-fwkit/create-fwkit.js'),
    path.join(modules, '.bin/create-fwkit'),
  );
  symlinkSync(path.join(repo, 'node_modules/typescript/bin/tsc'), path.join(modules, '.bin/tsc'));
  return made;
}
