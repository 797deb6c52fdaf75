import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ModuleError } from './error.js';

/** 1-based position of the first stack frame of `error` that lies in project code under `root`. */
export function positionOf(
  error: unknown,
  root: string,
): { file: string; line: number; column: number } | undefined {
  if (!(error instanceof Error)) return undefined;
  const inProject = (file: string) =>
    file.startsWith(path.resolve(root) + path.sep) && !file.includes(`${path.sep}node_modules${path.sep}`);
  if (error instanceof ModuleError && error.line !== undefined && inProject(error.file))
    return { file: error.file, line: error.line, column: error.column ?? 1 };
  for (const [, place = '', line, column] of String(error.stack).matchAll(/^ {4}at (.+):(\d+):(\d+)\)?$/gm)) {
    const named = place.replace(/^.*? \(|^async /, '');
    const file = named.startsWith('file:') ? fileURLToPath(named) : named;
    if (inProject(file)) return { file, line: Number(line), column: Number(column) };
  }
  return undefined;
}
