import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as assert from 'uvu/assert';
import type { Namespace } from '../../kernel/index.js';
import { ModuleError, type SourceLoader, sourceLoader } from '../../loader/index.js';

/** Texts by their path inside the project. */
export type Texts = Readonly<Record<string, string>>;

export interface Project {
  readonly root: string;
  readonly loader: SourceLoader;
  at(file: string): string;
  write(texts: Texts): void;
  remove(file: string): void;
  import(file: string): Promise<Namespace>;
}

const roots: string[] = [];
process.once('exit', () => {
  for (const root of roots) rmSync(root, { recursive: true });
});

/** A project of these files in its own directory. */
export function project(texts: Texts): Project {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'fwk-load-')));
  roots.push(root);
  const at = (file: string) => path.join(root, file);
  const write = (files: Texts) => {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.dirname(at(file)), { recursive: true });
      writeFileSync(at(file), text);
    }
  };
  write({ 'package.json': '{ "type": "module", "name": "shop" }', ...texts });
  const loader = sourceLoader(root);
  const remove = (file: string) => rmSync(at(file));
  return { root, loader, at, write, remove, import: (file) => loader.import(at(file)) };
}

/** The reason of a rejected promise; a fulfilled one fails the test. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return assert.unreachable('the promise was fulfilled');
}

/** As `rejection`, for a ModuleError. */
export async function moduleError(promise: Promise<unknown>): Promise<ModuleError> {
  const error = await rejection(promise);
  if (!(error instanceof ModuleError)) throw new Error('not a ModuleError', { cause: error });
  return error;
}

/** The error that `act` throws. */
export function thrown(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  return assert.unreachable('nothing was thrown') ?? new Error();
}

/** Calls an exported function. */
export function call(namespace: Namespace, name: string, ...args: unknown[]): unknown {
  const value = namespace[name];
  if (typeof value !== 'function') throw new Error(`${name} is not exported as a function`);
  return value(...args);
}
