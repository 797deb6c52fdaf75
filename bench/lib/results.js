import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { join, relative } from 'node:path';
import { PINNED } from './processes.js';

const HOME = join(import.meta.dirname, '../results');

/** Describes the machine, the Node version and the versions of `packages`. */
export function machine(packages) {
  const [cpu] = cpus();
  const pinning = PINNED ? 'server and client on a core each' : 'processes not pinned';
  return {
    date: new Date().toISOString().slice(0, 10),
    hardware: `${cpu?.model.trim()}, ${cpus().length} cores, ${process.platform} ${process.arch}, ${pinning}`,
    versions: {
      node: process.version.slice(1),
      ...Object.fromEntries(packages.map((name) => [name, versionOf(name)])),
    },
  };
}

/** Writes a result as JSON into results/. Returns the file's path, relative to the working directory. */
export function save(name, result) {
  const file = join(HOME, `${name}.json`);
  mkdirSync(HOME, { recursive: true });
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  return relative(process.cwd(), file);
}

function versionOf(name) {
  // Reads the file directly, because some packages don't export their package.json.
  for (const folder of createRequire(import.meta.url).resolve.paths(name) ?? []) {
    try {
      return JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')).version;
    } catch {}
  }
  throw new Error(`${name} is not installed. Run npm install in bench/.`);
}
