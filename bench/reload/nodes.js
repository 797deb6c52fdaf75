import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '.nodes');

/**
 * Returns a `node` binary of a major version: the current one, or an npm package installed in the benchmark's folder.
 */
export function nodeOf(major) {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const binary = join(folder, `node_modules/node${major}/bin/node`);
  if (!existsSync(binary)) {
    mkdirSync(folder, { recursive: true });
    const name = `node${major}@npm:node-${process.platform}-${process.arch}@${major}`;
    execFileSync(
      'npm',
      ['install', '--prefix', folder, '--no-audit', '--no-fund', '--prefer-offline', name],
      {
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
  }
  return binary;
}
