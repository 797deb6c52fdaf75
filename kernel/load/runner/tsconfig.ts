import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ModuleError, positionAt } from '../errors/module-error.js';
import { isTooManyOpenFiles } from '../on-demand.js';
import { extendedBy } from '../tsconfig-extends.js';

/** The compiler options that change what a module does when it runs, or what it may import. */
export interface CompilerOptions {
  readonly baseUrl?: string;
  readonly paths?: Readonly<Record<string, readonly string[]>>;
  readonly target?: string;
  readonly strict?: boolean;
  readonly strictNullChecks?: boolean;
  readonly experimentalDecorators?: boolean;
  readonly emitDecoratorMetadata?: boolean;
  readonly useDefineForClassFields?: boolean;
  readonly verbatimModuleSyntax?: boolean;
  readonly jsxImportSource?: string;
  readonly module?: string;
  readonly moduleResolution?: string;
  readonly allowImportingTsExtensions?: boolean;
  readonly rewriteRelativeImportExtensions?: boolean;
  readonly noEmit?: boolean;
  /** Where sources begin, and where the compiler puts what it makes of them. */
  readonly rootDir?: string;
  readonly outDir?: string;
}

/** The options of a tsconfig file, its `extends` folded in and paths made absolute; none if there is no such file. */
export function readTsconfig(file: string, configDir = path.dirname(file)): CompilerOptions {
  const config = parse(file);
  const bases = [config?.extends ?? []].flat().map((name) => extendedBy(file, name));
  const inherited = bases.map((base) => base && readTsconfig(base, configDir));
  const own = absolute(config?.compilerOptions ?? {}, path.dirname(file), configDir);
  return Object.assign({}, ...inherited, own);
}

const OF_PROJECT = /^\$\{configDir\}/;

/** `dir` is where the options are written, `configDir` where the file is that extends them all. */
function absolute(options: CompilerOptions, dir: string, configDir: string): CompilerOptions {
  const { rootDir, outDir, paths, baseUrl = '.' } = options;
  const at = (target: string, from = dir) =>
    OF_PROJECT.test(target)
      ? path.resolve(configDir, target.replace(OF_PROJECT, '.'))
      : path.resolve(from, target);
  const atBase = (target: string) => at(target, at(baseUrl));
  const entries = Object.entries(paths ?? {}).map(([pattern, targets]) => [pattern, targets.map(atBase)]);
  return {
    ...options,
    ...(rootDir && { rootDir: at(rootDir) }),
    ...(outDir && { outDir: at(outDir) }),
    ...(paths && { paths: Object.fromEntries(entries) }),
  };
}

const STRING = '"(?:[^"\\\\\\n]|\\\\.)*"';
const COMMENT = new RegExp(`(${STRING})|//[^\\n]*|/\\*[^]*?\\*/`, 'g');
const TRAILING_COMMA = new RegExp(`(${STRING})|,(?=\\s*[}\\]])`, 'g');

interface Tsconfig {
  readonly extends?: string | string[];
  readonly compilerOptions?: CompilerOptions;
}

function parse(file: string): Tsconfig | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    if (isTooManyOpenFiles(error)) throw error;
    return undefined;
  }
  const blank = (found: string, string?: string) => string ?? found.replace(/[^\n]/g, ' ');
  return parseJson(text.replace(COMMENT, blank).replace(TRAILING_COMMA, blank), file);
}

/** JSON.parse that reports mistakes as a ModuleError. */
export function parseJson<T>(text: string, file: string): T {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // The engine repeats the text, which may have many lines.
    const sentence = message.replace(/, [."][\s\S]* is not valid JSON$/, ' in JSON');
    throw new ModuleError('ERR_MODULE_SYNTAX', sentence, file, positionAt(text, offsetOfMistake(text)));
  }
}

/** The first character that is wrong. The engine reports its offset only sometimes; the text before it is valid so far. */
function offsetOfMistake(text: string): number {
  let [right, wrong] = [0, text.length + 1];
  while (wrong - right > 1) {
    const middle = (right + wrong) >> 1;
    if (isRightSoFar(text.slice(0, middle))) right = middle;
    else wrong = middle;
  }
  return right;
}

/** Whether JSON may begin with `text`: what is wrong with it is only that it ends. */
function isRightSoFar(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const message = String(error);
    if (/end of (JSON )?input/.test(message)) return true;
    const [, offset] = /at position (\d+)/.exec(message) ?? [];
    return offset !== undefined && Number(offset) >= text.length;
  }
}
