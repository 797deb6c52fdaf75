import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { cpus } from 'node:os';
import { join } from 'node:path';

/** The smallest of `numbers` that `percent` of them do not exceed (nearest rank). */
export function percentile(numbers, percent) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)];
}

/** The machine, and the versions of what is measured. */
export function machine(packages) {
  const [cpu] = cpus();
  const versions = packages.map((name) => `${name} ${versionOf(name)}`);
  return `${cpu?.model.trim()}, ${cpus().length} cores, ${process.platform} ${process.arch}\n${[`Node ${process.version}`, ...versions].join(', ')}`;
}

function versionOf(name) {
  for (const folder of createRequire(import.meta.url).resolve.paths(name)) {
    try {
      return JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')).version;
    } catch {} // not in this folder
  }
  return 'not installed';
}

/** Rows of cells as aligned text: the first column to the left, all else to the right. */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const cell = (text, column) => (column === 0 ? text.padEnd(widths[0]) : text.padStart(widths[column]));
  return rows.map((row) => row.map(cell).join('   ').trimEnd()).join('\n');
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
