import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { PINNED } from './processes.js';

export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The machine, and the versions of what is measured. */
export function describeMachine(packages = []) {
  const [cpu] = cpus();
  const versions = packages.map((name) => `${name} ${versionOf(name)}`);
  const pinning = PINNED ? 'server and client on a core each' : 'processes not pinned';
  return [
    `${cpu?.model.trim()}, ${cpus().length} cores, ${process.platform} ${process.arch}, ${pinning}`,
    [`Node ${process.version}`, ...versions].join(', '),
  ].join('\n');
}

function versionOf(name) {
  const entry = createRequire(import.meta.url).resolve.paths(name) ?? [];
  for (const folder of entry) {
    try {
      return JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')).version;
    } catch {}
  }
  return 'not installed';
}

/** Rows of cells as aligned text: the first column to the left, numbers to the right. */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row) =>
    row.map((cell, column) => (column < 2 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])));
  return rows.map((row) => line(row).join('  ').trimEnd()).join('\n');
}

/** Ends the process with a sentence where a flag is wrong. */
export function refuse(message) {
  console.error(message);
  process.exit(1);
}

/** The number that a flag was given. */
export function positive(flag, value) {
  const number = Number(value);
  if (!(number > 0)) refuse(`--${flag} takes a number above 0, not "${value}".`);
  return number;
}
