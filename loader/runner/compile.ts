import Module from 'node:module';
import vm from 'node:vm';
import type { Namespace } from '../../kernel/index.js';
import { covered } from './source-map.js';

const importModuleDynamically = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;

/** Node's way to run the text of a CommonJS module. It keeps the source maps of those beside the coverage, and of no scripts. */
const runAsModule: unknown = covered() ? Reflect.get(Module.prototype, '_compile') : undefined;
const isModule = typeof runAsModule === 'function';

/** The text before and behind the array expression that a script for `compile` is. It hides what such a module has. */
export const [BEFORE, BEHIND] = isModule
  ? ['module.exports = ((exports, require, module, __filename, __dirname) => ', ')();']
  : ['', ''];

/** Runs a script of the project's file `file`. Throws a SyntaxError with the place in `code`. */
export function compile(file: string, code: string): { native: NativeImport; body: Body } {
  const [native, body]: [NativeImport, Body] = isModule ? asModule(file, code) : asScript(file, code);
  return { native: (specifier, options) => withoutWarning(() => native(specifier, options)), body };
}

const asScript = (file: string, code: string) =>
  new vm.Script(code, { filename: file, importModuleDynamically }).runInThisContext();

/** The newest of each file: Node forgets the source map of one that is collected. */
const modules = new Map<string, Module>();

function asModule(file: string, code: string) {
  const module = new Module(file);
  modules.set(file, module);
  if (typeof runAsModule === 'function') runAsModule.call(module, code, file);
  return module.exports;
}

/** Node warns at the first import() from a script that this way to its loader is experimental. */
function withoutWarning<T>(act: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return act();
  } finally {
    process.emitWarning = emitWarning;
  }
}

export type NativeImport = (specifier: string, options?: ImportCallOptions) => Promise<Namespace>;

/** A module as a function; the parameters are what its code asks of the runner. */
export type Body = (
  exports: object,
  meta: object,
  load: (specifier: string, details?: { importedNames?: string[] }) => unknown,
  loadLater: (specifier: unknown, options?: ImportCallOptions) => Promise<Namespace>,
  exportAll: (namespace: object) => void,
) => Promise<void>;
