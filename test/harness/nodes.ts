import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { installed } from './installed.js';

/** The versions of Node that are promised, and the one that runs the tests. */
const MAJORS = [20, 22, 24, 26];

/** A `node` of every promised version, by its name; npm has them as packages, one per platform. */
export function nodes(): ReadonlyMap<string, string> {
  const folder = path.join(installed(), 'nodes');
  const binary = (major: number) => path.join(folder, `node_modules/node${major}/bin/node`);
  const missing = MAJORS.filter((major) => !existsSync(binary(major)));
  if (missing.length > 0) {
    mkdirSync(folder, { recursive: true });
    const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
    const packages = missing.map((major) => `node${major}@npm:${name}@${major}`);
    execFileSync(
      'npm',
      ['install', '--prefix', folder, '--no-audit', '--no-fund', '--prefer-offline', ...packages],
      {
        stdio: 'pipe',
      },
    );
  }
  return new Map(MAJORS.map((major) => [`Node ${major}`, binary(major)]));
}
