import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '.nodes');

/** The `node` of a major version: this one, or one that is installed beside the benchmark. npm has them as packages. */
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
