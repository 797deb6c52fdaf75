import path from 'node:path';
import { isObject } from '../../kernel/index.js';
import { ModuleError } from '../errors/module-error.js';
import { tsconfigChain } from '../tsconfig.js';

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
  /** The source root, and where the compiler writes its output. */
  readonly rootDir?: string;
  readonly outDir?: string;
  /** Additional conditions of "exports" with which the compiler resolves packages. */
  readonly customConditions?: readonly string[];
}

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** The expected value of each option: completes "is not …". */
const SHAPES: readonly (readonly [expected: string, accepts: (value: unknown) => boolean, names: string])[] =
  [
    [
      'a string',
      (value) => typeof value === 'string',
      'baseUrl target jsxImportSource module moduleResolution rootDir outDir',
    ],
    [
      'true or false',
      (value) => typeof value === 'boolean',
      'strict strictNullChecks experimentalDecorators emitDecoratorMetadata useDefineForClassFields verbatimModuleSyntax ' +
        'allowImportingTsExtensions rewriteRelativeImportExtensions noEmit',
    ],
    ['a list of strings', isTexts, 'customConditions'],
    [
      'an object with a list of strings for each pattern',
      (value) => isObject(value) && Object.values(value).every(isTexts),
      'paths',
    ],
  ];

/** The options of a tsconfig file and the files that it extends, with absolute paths. Throws a ModuleError if they are invalid. */
export function readTsconfig(file: string): CompilerOptions {
  const options = tsconfigChain(file).map((one) =>
    absolute(checked(one.config?.compilerOptions, one.file), path.dirname(one.file), path.dirname(file)),
  );
  return Object.assign({}, ...options);
}

/** The options that are set: null unsets an inherited option. Throws a ModuleError. */
function checked(given: unknown, file: string): CompilerOptions {
  const refuse = (name: string, expected: string): never => {
    throw new ModuleError('ERR_MODULE_SYNTAX', `"${name}" is not ${expected}`, file);
  };
  if (given === undefined || given === null) return {};
  if (!isObject(given)) return refuse('compilerOptions', 'an object');
  const options = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, value ?? undefined]),
  );
  for (const [expected, accepts, names] of SHAPES)
    for (const name of names.split(' '))
      if (options[name] !== undefined && !accepts(options[name])) refuse(`compilerOptions.${name}`, expected);
  return options;
}

const OF_PROJECT = /^\$\{configDir\}/;

/** `dir` is the directory of the file with the options, `configDir` the directory of the file that extends them all. */
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
