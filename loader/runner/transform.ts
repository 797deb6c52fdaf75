import { SourceMap } from 'node:module';
import type { ErrorLabel, TransformOptions } from 'oxc-transform';
import type { BuildPackage } from '../build-package.js';
import { ModuleError, positionAt } from '../errors/module-error.js';
import { parseJson } from '../json.js';
import type { CompilerOptions } from './tsconfig.js';

/** The imports of a module come first, in their order; this one is the last, so the body begins after it. */
export const BODY_MARKER = 'fwk:gate';

/** The body of an async function that is equivalent to the module, and the maps back to its text, the last transformation first. */
export interface Emitted {
  readonly code: string;
  readonly maps: readonly SourceMap[];
}

export interface Emit {
  (file: string, text: string, sourcemap: boolean): Emitted;
  readonly importHelper: BuildPackage['importHelper'];
}

export function createEmit(oxc: BuildPackage, options: CompilerOptions): Emit {
  const typescript = transformOptions(options);
  const emit = (file: string, text: string, sourcemap: boolean): Emitted => {
    const check = (errors: readonly { message: string; labels: ErrorLabel[] }[]) => {
      const [error] = errors;
      if (!error) return;
      const bytes = Buffer.from(text).subarray(0, error.labels[0]?.start ?? 0);
      throw new ModuleError(
        'ERR_MODULE_SYNTAX',
        error.message,
        file,
        positionAt(text, bytes.toString().length),
      );
    };
    const lang = /\.m?ts$/.test(file) ? 'ts' : file.endsWith('.tsx') ? 'tsx' : 'jsx';
    const script = oxc.transformSync(file, moduleText(file, text), { ...typescript, lang, sourcemap });
    check(script.errors);
    const gated = `${separateImports(script.code)}\nimport '${BODY_MARKER}';`;
    const body = oxc.moduleRunnerTransformSync(`${file}.js`, gated, { sourcemap });
    check(body.errors);
    const maps = [body.map, script.map].flatMap((map) =>
      map ? new SourceMap({ file: '', sourceRoot: '', sourcesContent: [], ...map }) : [],
    );
    const code = hoistDefault(rejoinImports(body.code.replace(/^#!.*/, '')));
    return { code, maps: maps };
  };
  return Object.assign(emit, { importHelper: oxc.importHelper });
}

/** The transform drops the first name of `import it, * as all from './it.js'`, unless each has its own statement. */
const separateImports = (code: string) =>
  code.replace(/^import ([\w$]+), (\* as [\w$]+) (from .*)$/gm, 'import $1 $3 import $2 $3');

/** Remaining matches were part of a string. */
const rejoinImports = (code: string) =>
  code.replace(/^import ([\w$]+) (from .*) import (\* as [\w$]+) \2$/gm, 'import $1, $3 $2');

/** Keeps `export default function () {}` callable before its module is evaluated, with the same length, for the source maps. */
const hoistDefault = (code: string) =>
  code.replace(
    /^const (__vite_ssr_export_default__) = (async )?function(\*?)( ?)\(/m,
    (_, name, asynchronous = '', star, space) =>
      `${asynchronous}function${star} ${space}${' '.repeat(8)}${name}(`,
  );

function moduleText(file: string, text: string): string {
  if (!file.endsWith('.json')) return text;
  parseJson(text, file);
  return `export default JSON.parse(${JSON.stringify(text)});`;
}

function transformOptions(options: CompilerOptions): TransformOptions {
  const old = /^es(3|5|6|20(1\d|2[01]))$/i.test(options.target ?? '');
  const define = options.useDefineForClassFields ?? !old;
  return {
    sourceType: 'module',
    target: `node${process.versions.node.split('.')[0]}`,
    typescript: {
      onlyRemoveTypeImports: options.verbatimModuleSyntax ?? false,
      removeClassFieldsWithoutInitializer: !define,
    },
    assumptions: { setPublicClassFields: !define },
    decorator: {
      legacy: options.experimentalDecorators ?? false,
      emitDecoratorMetadata: options.emitDecoratorMetadata ?? false,
      strictNullChecks: options.strictNullChecks ?? options.strict ?? true,
    },
    jsx: options.jsxImportSource ? { importSource: options.jsxImportSource } : {},
  };
}
