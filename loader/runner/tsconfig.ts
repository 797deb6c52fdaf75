import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isObject } from '../../kernel/index.js';
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
  /** The conditions of "exports" by which the compiler finds packages, beside its own. */
  readonly customConditions?: readonly string[];
}

/** Whether a value is one that an option may have. */
type Accepts = (value: unknown) => boolean;

const isText: Accepts = (value) => typeof value === 'string';
const isTexts: Accepts = (value) => Array.isArray(value) && value.every(isText);
const TEXT = ['a text', isText] as const;
const TEXTS = ['a list of texts', isTexts] as const;
const SWITCH = ['true or false', (value: unknown) => typeof value === 'boolean'] as const;
const PATHS = [
  'an object with a list of texts for each pattern',
  (value: unknown) => isObject(value) && Object.values(value).every(isTexts),
] as const;

/** What each option is: completes "is not …". */
const SORTS: Readonly<Record<keyof CompilerOptions, readonly [expected: string, accepts: Accepts]>> = {
  baseUrl: TEXT,
  paths: PATHS,
  target: TEXT,
  strict: SWITCH,
  strictNullChecks: SWITCH,
  experimentalDecorators: SWITCH,
  emitDecoratorMetadata: SWITCH,
  useDefineForClassFields: SWITCH,
  verbatimModuleSyntax: SWITCH,
  jsxImportSource: TEXT,
  module: TEXT,
  moduleResolution: TEXT,
  allowImportingTsExtensions: SWITCH,
  rewriteRelativeImportExtensions: SWITCH,
  noEmit: SWITCH,
  rootDir: TEXT,
  outDir: TEXT,
  customConditions: TEXTS,
};

/**
 * The options of a tsconfig file, its `extends` folded in and paths made absolute; none if there is no such file. `above`: the files
 * that extend it, the first one first. Throws a ModuleError for one that does not parse, has a wrong value or extends itself.
 */
export function readTsconfig(file: string, above: readonly string[] = []): CompilerOptions {
  const chain = [...above, file];
  if (above.includes(file)) {
    const names = chain.map((one) => path.basename(one)).join(' → ');
    throw new ModuleError('ERR_MODULE_SYNTAX', `it extends itself: ${names}`, above.at(-1) ?? file);
  }
  const config = parse(file);
  const bases = [config?.extends ?? []].flat().map((name) => extendedBy(file, name));
  const inherited = bases.map((base) => base && readTsconfig(base, chain));
  const own = absolute(
    checked(config?.compilerOptions, file),
    path.dirname(file),
    path.dirname(chain[0] ?? file),
  );
  return Object.assign({}, ...inherited, own);
}

/** Those of `given` that are set: null stands for one that is not, whatever is inherited. Throws a ModuleError. */
function checked(given: unknown, file: string): CompilerOptions {
  const refuse = (name: string, expected: string): never => {
    throw new ModuleError('ERR_MODULE_SYNTAX', `"${name}" is not ${expected}`, file);
  };
  if (given === undefined || given === null) return {};
  if (!isObject(given)) return refuse('compilerOptions', 'an object');
  const options = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, value ?? undefined]),
  );
  for (const [name, [expected, accepts]] of Object.entries(SORTS))
    if (options[name] !== undefined && !accepts(options[name])) refuse(`compilerOptions.${name}`, expected);
  return options;
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
  readonly compilerOptions?: unknown;
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
