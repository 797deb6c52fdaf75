/** The figures that a compiler gives of itself, and the CPU time that it took. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { childrenCpu } from './spent.js';

export const PACKAGES = join(import.meta.dirname, 'node_modules');

/** Their packages, by the name that `--compiler` takes. */
export const COMPILERS = { 7: 'typescript', 5.9: 'typescript-5' };

/** The version of an installed package. */
export const versionOf = (name) =>
  JSON.parse(readFileSync(join(PACKAGES, name, 'package.json'), 'utf8')).version;

/** The heap of Node, in megabytes: what the largest of the peers need with TypeScript 5.9. */
const HEAP_MB = 8_000;

/** Checks a whole project. `errors` are the first lines of what the compiler found. */
export function compile(root, version, ...args) {
  const before = childrenCpu();
  const { stdout } = spawnSync(
    process.execPath,
    [
      `--max-old-space-size=${HEAP_MB}`,
      join(PACKAGES, COMPILERS[version], 'bin/tsc'),
      ...['-p', root, '--pretty', 'false', '--extendedDiagnostics', ...args],
    ],
    { encoding: 'utf8', maxBuffer: 2 ** 28 },
  );
  const seconds = (childrenCpu() - before) / 1_000;
  const figure = (name) => {
    const [, value] = new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(stdout) ?? [];
    if (value === undefined) throw new Error(`TypeScript ${version} does not tell "${name}":\n${stdout}`);
    return Number(value);
  };
  return {
    instantiations: figure('Instantiations'),
    types: figure('Types'),
    megabytes: Math.round(figure('Memory used') / 1_024),
    seconds,
    errors: stdout.split('\n').filter((line) => line.includes('error TS')),
  };
}
