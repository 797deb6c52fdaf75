import { readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Finding, Lifecycle } from '../../contributions/index.js';
import { isObject, type ProjectPaths, type Resolved, toPosix } from '../../kernel/index.js';
import { listDirectory, readPackage } from '../../loader/index.js';

export interface Subject {
  readonly paths: ProjectPaths;
  readonly kernel: Lifecycle | undefined;
  readonly resolved: Resolved | undefined;
  /** Absolute paths of directories with generated files, which the rules skip. */
  readonly outputs: readonly string[];
  /** Absolute paths of the compiled files; undefined if nothing is compiled, or the settings are invalid. */
  readonly compiled: readonly string[] | undefined;
}

export type Rule = (subject: Subject) => readonly Finding[] | Promise<readonly Finding[]>;

export const byPlace = (a: Finding, b: Finding): number =>
  (a.file ?? '').localeCompare(b.file ?? '', 'en') ||
  (a.line ?? 0) - (b.line ?? 0) ||
  a.rule.localeCompare(b.rule, 'en');

const MAX_BYTES = 1_048_576;
/** Number of bytes that are checked to decide whether a file is text. */
const SAMPLE_BYTES = 8_192;

/** Absolute paths of all readable files below `directory`, except hidden or installed files, files in `made`, and links to directories. */
export function* filesBelow(directory: string, outputs: readonly string[]): Generator<string> {
  for (const dirent of listDirectory(directory)) {
    const path = join(directory, dirent.name);
    if (dirent.name.startsWith('.') || dirent.name === 'node_modules' || outputs.includes(path)) continue;
    if (dirent.isDirectory()) yield* filesBelow(path, outputs);
    else if (dirent.isFile()) yield path;
  }
}

export function textOf(file: string): string | undefined {
  try {
    if (statSync(file).size > MAX_BYTES) return undefined;
    const bytes = readFileSync(file);
    return bytes.subarray(0, SAMPLE_BYTES).includes(0) ? undefined : bytes.toString();
  } catch {
    return undefined;
  }
}

export function modulesBelow(root: string, outputs: readonly string[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const file of filesBelow(root, outputs)) {
    if (!/\.[cm]?[jt]sx?$/.test(file)) continue;
    const text = textOf(file);
    if (text !== undefined) texts.set(toPosix(relative(root, file)), text);
  }
  return texts;
}

interface Manifest {
  readonly type?: unknown;
  readonly version?: unknown;
  readonly dependencies: Readonly<Record<string, unknown>>;
  readonly devDependencies: Readonly<Record<string, unknown>>;
}

export function manifestIn(folder: string): Manifest | undefined {
  const manifest = readPackage(folder);
  if (manifest === undefined) return undefined;
  const { type, version, dependencies, devDependencies } = manifest;
  return {
    type,
    version,
    dependencies: isObject(dependencies) ? dependencies : {},
    devDependencies: isObject(devDependencies) ? devDependencies : {},
  };
}
