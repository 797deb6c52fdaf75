import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ModuleError, placeAt } from './error.js';

/** The compiler options that change what a module does when it runs. */
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
  /** Where sources begin, and where the compiler puts what it makes of them. */
  readonly rootDir?: string;
  readonly outDir?: string;
}

/** The options of a tsconfig file, its `extends` folded in and paths made absolute; none if there is no such file. */
export function readTsconfig(file: string): CompilerOptions {
  const config = parse(file);
  const bases = [config?.extends ?? []].flat().filter((base) => /^\.{0,2}\//.test(base));
  const inherited = bases.map((base) => readTsconfig(path.resolve(file, '..', withExtension(base))));
  return Object.assign({}, ...inherited, absolute(config?.compilerOptions ?? {}, path.dirname(file)));
}

function absolute(options: CompilerOptions, dir: string): CompilerOptions {
  const { rootDir, outDir, paths, baseUrl = '.' } = options;
  const at = (target: string) => path.resolve(dir, baseUrl, target);
  const entries = Object.entries(paths ?? {}).map(([pattern, targets]) => [pattern, targets.map(at)]);
  return {
    ...options,
    ...(rootDir && { rootDir: path.resolve(dir, rootDir) }),
    ...(outDir && { outDir: path.resolve(dir, outDir) }),
    ...(paths && { paths: Object.fromEntries(entries) }),
  };
}

const withExtension = (file: string) => (file.endsWith('.json') ? file : `${file}.json`);

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
  } catch {
    return undefined;
  }
  const blank = (found: string, string?: string) => string ?? found.replace(/[^\n]/g, ' ');
  return parseJson(text.replace(COMMENT, blank).replace(TRAILING_COMMA, blank), file);
}

/** JSON.parse that tells mistakes as a ModuleError. */
export function parseJson<T>(text: string, file: string): T {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // The engine repeats the text, which may have many lines.
    const sentence = message.replace(/, [."][\s\S]* is not valid JSON$/, ' in JSON');
    throw new ModuleError('ERR_MODULE_SYNTAX', sentence, file, placeAt(text, offsetOfMistake(text)));
  }
}

/** The first character that is wrong. The engine tells its offset only sometimes; what comes before it is right so far. */
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
