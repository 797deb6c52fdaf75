import path from 'node:path';
import { frameOf, framesBehind, type StackFrame } from './frame.js';
import { ModuleError } from './module-error.js';

export interface Stack {
  /** Innermost first; empty if the stack cannot be read. */
  readonly frames: readonly StackFrame[];
  /** Whether all frames come from the engine. If the message was changed after the stack was made, its lines may look like frames. */
  readonly isCertain: boolean;
}

export function stackOf(thrown: unknown): Stack {
  // Read first: the engine creates the stack on the first read, and its frames are recorded then.
  const { stack, message } = textsOf(thrown);
  const known = framesBehind(thrown);
  if (known) return { frames: known, isCertain: true };
  const rows = rowsBelow(stack, message);
  const stackRows = rows ?? lastRows(stack);
  return { frames: stackRows.map((row) => frameOf(row.slice(ROW.length))), isCertain: rows !== undefined };
}

const ROW = '    at ';

/** The rows of frames below the message; undefined if the stack does not begin with the error's name and message. */
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

/** Any value can be thrown, and a `stack` getter may throw itself. */
function textsOf(thrown: unknown): { stack: string; message: string } {
  try {
    if (thrown instanceof Error) return { stack: String(thrown.stack), message: String(thrown.message) };
  } catch {
    // The stack cannot be read.
  }
  return { stack: '', message: '' };
}

/** Whether `file`, an absolute path, is code of the project in `root`; its packages are not. */
export const isProjectCode = (file: string, root: string): boolean =>
  file.startsWith(path.resolve(root) + path.sep) && !file.includes(`${path.sep}node_modules${path.sep}`);

/** 1-based position of the first stack frame of `error` in project code under `root`, or in `only`, an absolute path. */
export function positionOf(
  error: unknown,
  root: string,
  only?: string,
): { file: string; line: number; column: number } | undefined {
  if (error instanceof ModuleError && error.line !== undefined && isProjectCode(error.file, root))
    return { file: error.file, line: error.line, column: error.column ?? 1 };
  for (const { file, line, column = 1 } of stackOf(error).frames)
    if (line !== undefined && (only === undefined ? isProjectCode(file, root) : file === only))
      return { file, line, column };
  return undefined;
}
