import path from 'node:path';
import { ModuleError } from './module-error.js';
import { stackOf } from './stack-of.js';

/** Whether `file`, an absolute path, is code of the project in `root`: its packages are not. */
export const isProjectCode = (file: string, root: string): boolean =>
  file.startsWith(path.resolve(root) + path.sep) && !file.includes(`${path.sep}node_modules${path.sep}`);

/** 1-based position of the first stack frame of `error` that lies in project code under `root`. */
export function positionOf(
  error: unknown,
  root: string,
): { file: string; line: number; column: number } | undefined {
  if (error instanceof ModuleError && error.line !== undefined && isProjectCode(error.file, root))
    return { file: error.file, line: error.line, column: error.column ?? 1 };
  for (const { file, line, column = 1 } of stackOf(error).frames)
    if (line !== undefined && isProjectCode(file, root)) return { file, line, column };
  return undefined;
}
