import path from 'node:path';
import { framesBehind } from './executed-text.js';
import { frameOf, type StackFrame } from './frame.js';
import { ModuleError } from './module-error.js';

export interface Stack {
  /** Innermost first; empty where there is none to read. */
  readonly frames: readonly StackFrame[];
  /**
   * Whether all of them are the engine's. A message may hold lines that look like frames: where it was changed since the
   * stack was made, nobody can tell where it ends.
   */
  readonly isCertain: boolean;
}

export function stackOf(thrown: unknown): Stack {
  // Read first: the engine makes it when it is asked for, and then its frames are remembered.
  const { stack, message } = textsOf(thrown);
  const known = framesBehind(thrown);
  if (known) return { frames: known, isCertain: true };
  const rows = rowsBelow(stack, message);
  const stackRows = rows ?? lastRows(stack);
  return { frames: stackRows.map((row) => frameOf(row.slice(ROW.length))), isCertain: rows !== undefined };
}

const ROW = '    at ';

/** The rows of frames below the message; undefined where the stack does not begin with a name and that message. */
function rowsBelow(stack: string, message: string): string[] | undefined {
  const start = message === '' ? stack.split('\n', 1).join().length : stack.indexOf(message);
  const name = stack.slice(0, Math.max(start, 0));
  const isName = !name.includes('\n') && (message === '' ? !name.includes(': ') : /^$|: $/.test(name));
  const below = stack.slice(start + message.length);
  if (start === -1 || !isName || !(below === '' || below.startsWith(`\n${ROW}`))) return undefined;
  return below.split('\n').filter((row) => row.startsWith(ROW));
}

function lastRows(stack: string): string[] {
  const rows = stack.trimEnd().split('\n');
  return rows.slice(rows.findLastIndex((row) => !row.startsWith(ROW)) + 1);
}

/** Anything can be thrown: a `stack` that is a getter may throw itself. */
function textsOf(thrown: unknown): { stack: string; message: string } {
  try {
    if (thrown instanceof Error) return { stack: String(thrown.stack), message: String(thrown.message) };
  } catch {
    // There is none to read.
  }
  return { stack: '', message: '' };
}

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
