import Module from 'node:module';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import type { Namespace } from '../../kernel/index.js';
import { ModuleError, positionAt } from '../errors/module-error.js';
import { HEAD_LINES, originalPosition } from '../errors/source-mapped-stacks.js';
import { BODY_MARKER, type Emit, type Emitted } from './transform.js';

/** Whether Node records the coverage of this process when it exits: for `c8`, `node --test` and similar tools. */
const covered = (): boolean => Boolean(process.env.NODE_V8_COVERAGE);

export const needsSourceMaps = (): boolean => covered() || debuggable();

const debuggable = (): boolean =>
  // Node can be built without the inspector.
  process.features.inspector && process.getBuiltinModule('node:inspector').url() !== undefined;

/** The comment that links the script of `file` to its text. The code begins after `head` lines. Both have one URL, as debuggers expect. */
async function sourceMapComment(
  file: string,
  text: string,
  { maps }: Emitted,
  head: number,
): Promise<string> {
  const { default: remapping } = await import('@jridgewell/remapping');
  const { mappings, names } = remapping(
    maps.map(({ payload }) => ({ ...payload, version: 3 })),
    () => null,
  );
  const map = {
    version: 3,
    sources: [pathToFileURL(file).href],
    sourcesContent: [text],
    names,
    mappings: `${';'.repeat(head)}${mappings}`,
  };
  const encoded = Buffer.from(JSON.stringify(map)).toString('base64');
  return `//# sourceMappingURL=data:application/json;base64,${encoded}`;
}

const importModuleDynamically = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;

/** Node's function for compiling CommonJS modules: for coverage, Node records source maps of these modules, but not of scripts. */
const runAsModule: unknown = covered() ? Reflect.get(Module.prototype, '_compile') : undefined;
const isModule = typeof runAsModule === 'function';

/** The text before and after the array expression in a script for `compile`. It shadows the variables of a CommonJS module. */
const [BEFORE, BEHIND] = isModule
  ? ['module.exports = ((exports, require, module, __filename, __dirname) => ', ')();']
  : ['', ''];

function compile(file: string, code: string): { native: NativeImport; body: Body } {
  const [native, body]: [NativeImport, Body] = isModule ? asModule(file, code) : asScript(file, code);
  return { native: (specifier, options) => withoutWarning(() => native(specifier, options)), body };
}

const asScript = (file: string, code: string) =>
  new vm.Script(code, { filename: file, importModuleDynamically }).runInThisContext();

/** The newest function of each file: Node drops the source map of a function that is garbage-collected. */
const modules = new Map<string, Module>();

function asModule(file: string, code: string) {
  const module = new Module(file);
  modules.set(file, module);
  if (typeof runAsModule === 'function') runAsModule.call(module, code, file);
  return module.exports;
}

/** At the first import() from a script, Node warns that this use of its loader is experimental. */
function withoutWarning<T>(act: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return act();
  } finally {
    process.emitWarning = emitWarning;
  }
}

type NativeImport = (specifier: string, options?: ImportCallOptions) => Promise<Namespace>;

/** A module as a function; its parameters are the runner's functions and objects that the code uses. */
type Body = (
  exports: object,
  meta: object,
  load: (specifier: string, details?: { importedNames?: string[] }) => unknown,
  loadLater: (specifier: unknown, options?: ImportCallOptions) => Promise<Namespace>,
  exportAll: (namespace: object) => void,
) => Promise<void>;

const PARAMETERS = ['exports', 'import_meta', 'import', 'dynamic_import', 'exportAll'];
const SCRIPT_HEAD = `${BEFORE}[(s, o) => import(s, o), async function (${PARAMETERS.map((name) => `__vite_ssr_${name}__`)}) {`;

/** Helpers of emitted code are resolved from the transformer's package, not from the project. */
const HELPER = /^@oxc-project\/runtime\//;

/** An export from another module: its `name` there, or its namespace. */
export class Binding {
  constructor(
    readonly specifier: string,
    readonly name: string | undefined,
  ) {}
}

export interface Shape {
  readonly imports: readonly { readonly specifier: string; readonly names: readonly string[] }[];
  readonly stars: readonly string[];
  /** Own and re-exported names; undefined means a binding of the module itself. */
  readonly exports: ReadonlyMap<string, Binding | undefined>;
}

export interface Source {
  readonly file: string;
  /** The newest text that compiles to this code. */
  text: string;
  readonly code: string;
  /** The same code, with the source maps to `text`. */
  emitWithMap: () => Emitted;
  readonly body: Body;
  readonly readsMeta: boolean;
  readonly shape: Shape;
  /** Imports with Node from this file, and returns the instances that the whole process shares. */
  readonly native: NativeImport;
}

/** The source of a text, compiled unless its code equals the code of `known`. Throws a ModuleError if it does not parse. */
export async function createSource(emit: Emit, file: string, text: string, known?: Source): Promise<Source> {
  const isMapped = needsSourceMaps();
  const emitted = emit(file, text, isMapped);
  const comment = isMapped ? await sourceMapComment(file, text, emitted, HEAD_LINES) : '';
  const code = `${SCRIPT_HEAD}'use strict';\n${emitted.code}\n}]${BEHIND}\n${comment}`;
  const emitWithMap = () => emit(file, text, true);
  if (known?.code === code) return { ...known, text, emitWithMap };
  try {
    const { native, body } = compile(file, code);
    const nativeOrHelper: NativeImport = (specifier, options) =>
      HELPER.test(specifier) ? emit.importHelper(specifier) : native(specifier, options);
    const readsMeta = emitted.code.includes('__vite_ssr_import_meta__');
    const shape = await readShape(body);
    return { file, text, code, emitWithMap, body, readsMeta, native: nativeOrHelper, shape };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const [, line, indent = ''] = /:(\d+)\n.*\n( *)\^/.exec(error.stack ?? '') ?? [];
    const at = originalPosition(emitWithMap(), Number(line) - HEAD_LINES, indent.length + 1);
    const before = text.split('\n').slice(0, (at?.line ?? 1) - 1);
    const place = at && positionAt(text, [...before, ''].join('\n').length + at.column - 1);
    throw new ModuleError('ERR_MODULE_SYNTAX', error.message, file, place);
  }
}

/** Runs the imports of a module with stand-ins and stops before its body. */
async function readShape(body: Body): Promise<Shape> {
  const exports: Record<string, unknown> = Object.create(null);
  const imports: { specifier: string; names: readonly string[] }[] = [];
  const standIns = new Map<object, string>();
  const stars: string[] = [];
  await new Promise<void>((reachedBody) => {
    const load = (specifier: string, { importedNames = [] }: { importedNames?: string[] } = {}) => {
      if (specifier === BODY_MARKER) {
        reachedBody();
        return new Promise<never>(() => {});
      }
      imports.push({ specifier, names: importedNames });
      const get = (_: object, name: string) => (name === 'then' ? undefined : new Binding(specifier, name));
      const standIn = new Proxy({}, { get });
      standIns.set(standIn, specifier);
      return standIn;
    };
    const exportAll = (standIn: object) => void stars.push(standIns.get(standIn) ?? '');
    void body(exports, {}, load, () => Promise.reject(), exportAll);
  });
  const bindingOf = (name: string): Binding | undefined => {
    try {
      const value = exports[name];
      const specifier = value instanceof Object ? standIns.get(value) : undefined;
      if (specifier !== undefined) return new Binding(specifier, undefined);
      return value instanceof Binding ? value : undefined;
    } catch {
      return undefined; // its own binding, not initialized yet
    }
  };
  return { imports, stars, exports: new Map(Object.keys(exports).map((name) => [name, bindingOf(name)])) };
}
