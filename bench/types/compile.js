/** Reads the compiler's own figures, and measures its CPU time. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { childrenCpu } from './usage.js';

export const PACKAGES = join(import.meta.dirname, 'node_modules');

/** The npm packages, by the name that `--compiler` accepts. */
export const COMPILERS = { 7: 'typescript', 5.9: 'typescript-5' };

/** Returns the version of an installed package. */
export const versionOf = (name) =>
  JSON.parse(readFileSync(join(PACKAGES, name, 'package.json'), 'utf8')).version;

/** Node's heap limit in megabytes: the largest projects need this much with TypeScript 5.9. */
const HEAP_MB = 8_000;

/** Checks a whole project. `errors` has the first lines of the compiler's errors. */
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
    if (value === undefined) throw new Error(`TypeScript ${version} does not report "${name}":\n${stdout}`);
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
