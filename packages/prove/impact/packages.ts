import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { Graph } from '../graph/graph.js';
/** Which packages another version is installed of, or of what they depend on; `everything` where that cannot be read. */
export type Relocked = readonly string[] | 'everything';

const FORMATS: Readonly<Record<string, (text: string) => Installed | undefined>> = {
  'package-lock.json': readNpm,
  'npm-shrinkwrap.json': readNpm,
  'pnpm-lock.yaml': readPnpm,
  'yarn.lock': readYarn,
};

/** Lock files of which nothing is known but that they are some. */
const OTHERS = ['bun.lock', 'bun.lockb', 'deno.lock'];

export const isLockFile = (name: string): boolean => Object.hasOwn(FORMATS, name) || OTHERS.includes(name);

/** Compare two texts of a lock file, whose `name` is without its directory. */
export function relocked(name: string, before: string | undefined, after: string | undefined): Relocked {
  const read = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (!read || before === undefined || after === undefined) return 'everything';
  const [then, now] = [read(before), read(after)];
  // What is not understood may be anything.
  if (!then || !now) return 'everything';
  const all = [...then.versions.keys(), ...now.versions.keys()];
  const changed = new Set(all.filter((one) => then.versions.get(one) !== now.versions.get(one)));
  // In a Set, what is added while it is walked is walked, too.
  for (const one of changed)
    for (const { dependents } of [then, now])
      for (const other of dependents.get(one) ?? []) changed.add(other);
  return [...changed].sort();
}

/** What a lock file has installed, wherever in node_modules. */
class Installed {
  /** All of a package, in one line. */
  readonly versions = new Map<string, string>();
  /** Who names a package as a dependency. */
  readonly dependents = new Map<string, Set<string>>();

  add(name: string, version: string): void {
    const known = this.versions.get(name)?.split(' ') ?? [];
    this.versions.set(name, [...new Set([...known, version])].sort().join(' '));
  }

  depends(name: string, on: string): void {
    const known = this.dependents.get(on) ?? new Set();
    this.dependents.set(on, known.add(name));
  }
}

interface NpmLock {
  readonly packages?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Versions 2 and 3 of the format; those before npm 7 have no `packages`. */
function readNpm(text: string): Installed | undefined {
  let lock: NpmLock;
  try {
    lock = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof lock?.packages !== 'object') return undefined;
  const found = new Installed();
  for (const [place, entry] of Object.entries(lock.packages)) {
    const at = place.lastIndexOf('node_modules/');
    if (at === -1) continue;
    const name = place.slice(at + 'node_modules/'.length);
    // What comes from elsewhere may differ in one version.
    found.add(name, `${place}@${entry.version}#${entry.integrity ?? entry.resolved}`);
    for (const key of ['dependencies', 'optionalDependencies', 'peerDependencies'])
      for (const on of Object.keys(entry[key] ?? {})) found.depends(name, on);
  }
  return found;
}

/** `  /name@1.2.3:`, `  name@1.2.3(peer@2):` and `  /name/1.2.3:`, below `packages:` and `snapshots:`. */
function readPnpm(text: string): Installed | undefined {
  if (!/^lockfileVersion:/m.test(text)) return undefined;
  const found = new Installed();
  let section = '';
  let name = '';
  let part = '';
  for (const line of text.split(/\r?\n/)) {
    section = /^(\w+):/.exec(line)?.[1] ?? section;
    if (section !== 'packages' && section !== 'snapshots') continue;
    const [, , key] = /^ {2}(['"]?)(\S.*?)\1:\s*(?:\{\})?$/.exec(line) ?? [];
    if (key !== undefined) {
      const bare = key.replace(/^\//, '').replace(/\(.*$/, '');
      const match = /^(@?[^@]+)@(.+)$/.exec(bare) ?? /^((?:@[^/]+\/)?[^/]+)\/(.+)$/.exec(bare);
      if (!match) return undefined;
      [, name = ''] = match;
      found.add(name, key);
    }
    part = /^ {4}(\w+):/.exec(line)?.[1] ?? part;
    const integrity = /integrity: ([^,}\s]+)/.exec(line)?.[1];
    if (integrity !== undefined) found.add(name, integrity);
    const [, , on] = /^ {6}(['"]?)(\S+?)\1: /.exec(line) ?? [];
    if (on !== undefined && /[dD]ependencies$/.test(part)) found.depends(name, on);
  }
  return found;
}

/** Version 1 (`name@^1.0.0:`, `  version "1.2.3"`), and what Berry writes (`"name@npm:^1.0.0":`, `  version: 1.2.3`). */
function readYarn(text: string): Installed | undefined {
  if (!/^# yarn lockfile v1|^__metadata:/m.test(text)) return undefined;
  const found = new Installed();
  let name = '';
  let part = '';
  for (const line of text.split(/\r?\n/)) {
    name = /^"?((?:@[^/@\s]+\/)?[^@\s"]+)@.*:$/.exec(line)?.[1] ?? name;
    part = /^ {2}(\w+):?/.exec(line)?.[1] ?? part;
    const value = /^ {2}(?:version|resolved|resolution|integrity|checksum):? "?([^"\s]+)"?$/.exec(line)?.[1];
    if (value !== undefined) found.add(name, value);
    const on = /^ {4}"?((?:@[^/@\s]+\/)?[^@\s":]+)"?:? /.exec(line)?.[1];
    if (on !== undefined && /[dD]ependencies$/.test(part)) found.depends(name, on);
  }
  return found;
}

/** All packages that modules import, by name. */
export function importedPackages(graph: Graph): Set<string> {
  const found = new Set<string>();
  for (const { units, bare } of graph.modules.values()) {
    for (const specifier of bare) found.add(packageIn(specifier));
    for (const { imports, later } of units.values())
      for (const specifier of [...imports.map((one) => one.specifier), ...later])
        found.add(packageIn(specifier));
  }
  return new Set([...found].filter((name) => name !== '' && !/^[./#]|^node:/.test(name)));
}

const packageIn = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** The packages that are linked from beside the project, as in a workspace, and that one of `files` belongs to. */
export function linkedPackages(graph: Graph, root: string, files: readonly string[]): string[] {
  if (files.length === 0) return [];
  const real = realpathSync(root);
  const changed = files.map((file) => path.join(real, file));
  return [...importedPackages(graph)].filter((name) => {
    const place = placeOf(real, name);
    return place !== undefined && changed.some((file) => file.startsWith(place + path.sep));
  });
}

/** Where a package is that is linked, and not installed. */
function placeOf(root: string, name: string): string | undefined {
  for (let at = root; ; at = path.dirname(at)) {
    try {
      const place = realpathSync(path.join(at, 'node_modules', name));
      return place.split(path.sep).includes('node_modules') ? undefined : place;
    } catch {
      // Not here: above.
    }
    if (at === path.dirname(at)) return undefined;
  }
}

/** The names in `dependencies` of the package.json of a project. */
export function dependenciesOf(root: string): string[] {
  try {
    const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
    return Object.keys(dependencies ?? {});
  } catch {
    return [];
  }
}
