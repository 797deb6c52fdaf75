import { join, relative } from 'node:path';
import { brand } from '../../contributions/index.js';
import {
  BootError,
  codeOf,
  type ErrorReader,
  messageOf,
  type Problem,
  type ProblemCode,
  toPosix,
} from '../../kernel/index.js';
import { framesOutside } from './explain.js';
import { describeModuleError, ModuleError, type ModuleErrorCode } from './module-error.js';
import { positionOf } from './stack-of.js';

/** A package that the project needs is missing. It is reported once, however many files need it. */
export class MissingPackage extends BootError {
  override readonly name = 'MissingPackage';

  constructor(message: string) {
    super({ message, code: 'FWK611' });
  }
}

export const errorReader = (root: string): ErrorReader => ({
  framesOf: framesOf(root),
  problemOf: (thrown, what, file, code) => problemOf(thrown, what, file, root, code),
});

export const framesOf =
  (root: string): ErrorReader['framesOf'] =>
  (thrown, isStrict) =>
    framesOutside(thrown, root, isStrict);

/** Errors about values that a module passes to the framework: their stack has no further information. */
const definitionErrors = brand<Error>('fwkit.definition-error');

const OF_MODULES = {
  ERR_MODULE_SYNTAX: 'FWK107',
  ERR_MODULE_NOT_FOUND: 'FWK108',
  ERR_MODULE_EXPORT: 'FWK109',
} as const satisfies Record<ModuleErrorCode, ProblemCode>;

/** The problem for a thrown value, where the project threw it, or else in `file`. `code`: if the value has none. `what`: "the file …". */
export function problemOf(
  thrown: unknown,
  what: string,
  file: string,
  root: string,
  code: ProblemCode,
): Problem {
  if (thrown instanceof MissingPackage) return { message: thrown.message, code: 'FWK611' };
  const message =
    thrown instanceof ModuleError
      ? describeModuleError(thrown)
      : definitionErrors.has(thrown)
        ? `${messageOf(thrown)}.`
        : `${what}: ${withCause(thrown)}. Fix it there.`;
  if (thrown instanceof ModuleError)
    return {
      file: toPosix(relative(root, thrown.file)),
      line: thrown.line,
      message,
      code: OF_MODULES[thrown.code],
      excerpt: thrown.excerpt,
    };
  // A project may define wrappers that throw: the call in the module is the mistake, not the code of the wrapper.
  const call = definitionErrors.has(thrown) ? positionOf(thrown, root, join(root, file)) : undefined;
  const position = call ?? positionOf(thrown, root);
  const own = { message, code: codeOf(thrown) ?? code };
  return position
    ? { file: toPosix(relative(root, position.file)), line: position.line, ...own }
    : { file, ...own };
}

/** `fetch failed (connect ECONNREFUSED 127.0.0.1:5432)`: often only the cause explains the error. Never throws. */
function withCause(thrown: unknown): string {
  const message = messageOf(thrown);
  try {
    const { cause = undefined, errors = [] } =
      thrown instanceof Error ? (thrown as Partial<AggregateError>) : {};
    const [inner = cause] = cause instanceof AggregateError ? cause.errors : errors;
    if (!(inner instanceof Error) || message.includes(inner.message)) return message;
    return `${message} (${messageOf(inner)})`;
  } catch {
    return message;
  }
}
