import { declarationBehind, parentOf } from './factory.js';
import { type Imported, importedBy } from './imported.js';
import type { Names } from './names.js';
import { around, type ClassNode, type FunctionNode, isClass, type Of } from './syntax.js';

/** What a call hands its arguments to: a function or class of the module, or an export of another. */
export interface Called {
  readonly local?: FunctionNode | ClassNode | undefined;
  readonly imported?: Imported | undefined;
}

/** What is called, or made by `new`, or by `super(…)`; nothing where that is not certain. */
export function calledBy(call: Of<'CallExpression'> | Of<'NewExpression'>, names: Names): Called {
  if (call.callee.type === 'Super') {
    const inner = around(call, isClass);
    return { local: inner && parentOf(inner, names.bindings) };
  }
  const local = declarationBehind(call.callee, names.bindings);
  if (local && isClass(local) === (call.type === 'NewExpression')) return { local };
  return { imported: importedBy(call.callee, names) };
}
