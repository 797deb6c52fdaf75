import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ModuleError } from './error.js';

/** One line of a stack. */
export interface StackFrame {
  /** What was called, as the engine names it: `async Store.find`, `new Thing`; undefined at the top of a module. */
  readonly call: string | undefined;
  /** Absolute path of a file; else what the engine says instead: `node:fs`, `<anonymous>`. */
  readonly file: string;
  /** 1-based, as `column`; both undefined for what the engine does itself. */
  readonly line: number | undefined;
  readonly column: number | undefined;
}

/** Whether `file`, an absolute path, is code of the project in `root`: its packages are not. */
export const isProjectCode = (file: string, root: string): boolean =>
  file.startsWith(path.resolve(root) + path.sep) && !file.includes(`${path.sep}node_modules${path.sep}`);

/** The stack of anything that can be thrown, innermost frame first; empty where there is none to read. */
export function stackOf(thrown: unknown): StackFrame[] {
  return [...readStack(thrown).matchAll(/^ {4}at (.+)$/gm)].map(([, text = '']) => {
    const [, call, inside = text.replace(/^async /, '')] = /^(.*?) \((.+)\)$/.exec(text) ?? [];
    const [, named = inside, line, column] = /^(.+):(\d+):(\d+)$/.exec(inside) ?? [];
    const file = named.startsWith('file:') ? fileURLToPath(named) : named;
    return { call, file, line: line ? Number(line) : undefined, column: column ? Number(column) : undefined };
  });
}

/** 1-based position of the first stack frame of `error` that lies in project code under `root`. */
export function positionOf(
  error: unknown,
  root: string,
): { file: string; line: number; column: number } | undefined {
  if (error instanceof ModuleError && error.line !== undefined && isProjectCode(error.file, root))
    return { file: error.file, line: error.line, column: error.column ?? 1 };
  for (const { file, line, column = 1 } of stackOf(error))
    if (line !== undefined && isProjectCode(file, root)) return { file, line, column };
  return undefined;
}

/** What is thrown may be anything: a `stack` that is a getter may throw itself. */
function readStack(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.stack) : '';
  } catch {
    return '';
  }
}
