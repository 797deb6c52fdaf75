import { relative } from 'node:path';
import { brand } from '../brand.js';
import { describeModuleError, ModuleError } from '../load/errors/module-error.js';
import { positionOf } from '../load/errors/position.js';
import { slashed } from '../paths.js';
import { MissingPackage, messageOf, type Problem } from './boot-error.js';

/** Errors of what a module gives to a function of the framework: how they came about says nothing more. */
const definitionErrors = brand<Error>('fwkit.definition-error');

/** The problem of a thrown value, at the place in the project that threw it, or else in `file`. */
export function problemOf(thrown: unknown, what: string, file: string, root: string): Problem {
  if (thrown instanceof MissingPackage) return { message: thrown.message };
  const message =
    thrown instanceof ModuleError
      ? describeModuleError(thrown)
      : definitionErrors.has(thrown)
        ? `${messageOf(thrown)}.`
        : `${what}: ${messageOf(thrown)}. Fix it there.`;
  if (thrown instanceof ModuleError)
    return {
      file: slashed(relative(root, thrown.file)),
      line: thrown.line,
      message,
      excerpt: thrown.excerpt,
    };
  const position = positionOf(thrown, root);
  return position
    ? { file: slashed(relative(root, position.file)), line: position.line, message }
    : { file, message };
}
