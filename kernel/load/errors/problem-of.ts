import { relative, sep } from 'node:path';
import { messageOf, type Problem } from '../../errors.js';
import { describeModuleError, ModuleError } from './module-error.js';
import { positionOf } from './position.js';

/** The problem of a thrown value, at the place in the project that threw it, or else in `file`. */
export function problemOf(thrown: unknown, what: string, file: string, root: string): Problem {
  const message =
    thrown instanceof ModuleError
      ? describeModuleError(thrown)
      : `${what}: ${messageOf(thrown)}. Fix it there.`;
  if (thrown instanceof ModuleError)
    return { file: slashed(relative(root, thrown.file)), line: thrown.line, message, excerpt: thrown.frame };
  const position = positionOf(thrown, root);
  return position
    ? { file: slashed(relative(root, position.file)), line: position.line, message }
    : { file, message };
}

export const slashed = (path: string): string => path.split(sep).join('/');
