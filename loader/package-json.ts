import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { isObject } from '../kernel/index.js';

/** The package.json in `folder`, whose members may have any type. Undefined if no package.json can be read. */
export function readPackage(folder: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const text = readFileSync(path.join(folder, 'package.json'), 'utf8');
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The package.json of the package `name`, as Node resolves it in the file `from`. Undefined if the package is not installed. */
export function findPackage(from: string, name: string): string | undefined {
  try {
    return createRequire(from).resolve(`${name}/package.json`);
  } catch {
    return undefined;
  }
}

export function* upwards(folder: string): Iterable<string> {
  yield folder;
  for (let above = path.dirname(folder); above !== folder; above = path.dirname(above)) {
    folder = above;
    yield above;
  }
}

/** The path of the package `name` for modules in `folder`, without following links. Undefined if it is not installed. */
export function installedIn(folder: string, name: string): string | undefined {
  for (const above of upwards(folder)) {
    const place = path.join(above, 'node_modules', name);
    if (existsSync(path.join(place, 'package.json'))) return place;
  }
  return undefined;
}

/** The package.json of the package that `directory` is in. */
export function packageFileOf(directory: string): string | undefined {
  const file = path.join(directory, 'package.json');
  if (existsSync(file)) return file;
  const above = path.dirname(directory);
  return above === directory || path.basename(above) === 'node_modules' ? undefined : packageFileOf(above);
}

/** The text of a file; empty if it cannot be read. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The entries of a directory; none if it cannot be read. */
export function listDirectory(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
