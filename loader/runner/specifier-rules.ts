import path from 'node:path';
import type { CompilerOptions } from './tsconfig.js';

/** Which relative specifiers also resolve in production, where Node runs compiled files, or the sources. */
export interface SpecifierRules {
  /** Without the extension, or naming a directory. */
  readonly mayBeShort: boolean;
  /** With the extension of a source: `./rows.ts`. */
  readonly mayBeTypeScript: boolean;
}

/** The rules of a project; `options` are undefined without a tsconfig.json, `isModule` depends on its package.json. */
export function specifierRules(options: CompilerOptions | undefined, isModule: boolean): SpecifierRules {
  if (options === undefined) return { mayBeShort: false, mayBeTypeScript: true };
  const { module = '', moduleResolution = module, noEmit = false } = options;
  const isAsNode = /^node(16|18|20|next)$/i.test(moduleResolution);
  return {
    // The compiler doesn't rewrite them: in an ES module, it may accept specifiers that Node rejects.
    mayBeShort: isAsNode || /^commonjs$/i.test(module) ? !isModule : noEmit,
    mayBeTypeScript:
      options.rewriteRelativeImportExtensions ?? (noEmit && (options.allowImportingTsExtensions ?? false)),
  };
}

/** Describes a relative specifier that resolves to `file` here but fails in production; undefined if it is valid. */
export function mistakeIn(
  specifier: string,
  importer: string,
  file: string,
  rules: SpecifierRules,
): string | undefined {
  if (!/^\.{1,2}(\/|$)/.test(specifier)) return undefined;
  const named = specifier.endsWith('/') ? '' : path.resolve(path.dirname(importer), specifier);
  const right = specifierOf(file, importer);
  if (file !== named) {
    const isCompiled = /\.m?jsx?$/.test(specifier) && right === specifierOf(named, importer);
    if (isCompiled || rules.mayBeShort) return undefined;
    return incompleteSpecifierMessage(specifier, right);
  }
  if (!/\.m?tsx?$/.test(specifier) || rules.mayBeTypeScript) return undefined;
  return `'${specifier}' does not exist after compilation: write '${right}', or set rewriteRelativeImportExtensions in tsconfig.json`;
}

export const incompleteSpecifierMessage = (specifier: string, right: string): string =>
  `'${specifier}' is not a complete file name, which Node requires: write '${right}'`;

function specifierOf(file: string, importer: string): string {
  const relative = path.relative(path.dirname(importer), file).split(path.sep).join('/');
  return `${relative.startsWith('.') ? '' : './'}${relative}`.replace(/\.(m?)[jt]sx?$/, '.$1js');
}
