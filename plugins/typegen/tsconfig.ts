import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';

/** The settings of a compiler. */
export interface TsConfig {
  readonly compilerOptions?: Readonly<Record<string, unknown>>;
  readonly extends?: string | readonly string[];
  /** Projects with settings of their own. A file that has nothing else only lists them. */
  readonly references?: readonly { readonly path: string }[];
  readonly files?: readonly string[];
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

/** A file of settings that was read. */
export interface ReadConfig {
  readonly file: string;
  readonly config: TsConfig;
}

/** `file` and the files that it extends; what a later one sets is over what earlier ones do. Throws where one cannot be read. */
export function chainOf(file: string, above: readonly string[] = []): ReadConfig[] {
  if (above.includes(file)) throw new Error(`${file} extends itself`);
  const config = readConfig(file);
  const bases = [config.extends ?? []].flat();
  return [...bases.flatMap((base) => chainOf(locate(base, file), [...above, file])), { file, config }];
}

/** The options of the compiler that a chain makes. */
export const optionsOf = (chain: readonly ReadConfig[]): Readonly<Record<string, unknown>> =>
  Object.assign({}, ...chain.map(({ config }) => config.compilerOptions));

/** The file that `base` in `file` means: a path, or a file of a package. */
function locate(base: string, file: string): string {
  if (isAbsolute(base) || /^\.\.?(?:[\\/]|$)/.test(base)) {
    const path = resolve(dirname(file), base);
    return path.endsWith('.json') || existsSync(path) ? path : `${path}.json`;
  }
  const { resolve: find } = createRequire(file);
  for (const name of [base, `${base}.json`, `${base}/tsconfig.json`])
    try {
      const path = find(name);
      if (path.endsWith('.json')) return path;
    } catch {
      // The next name may be one.
    }
  throw new Error(`${file} extends ${base}, which is not installed`);
}

/** A file of settings, in which comments and commas after the last member are allowed. */
export function readConfig(file: string): TsConfig {
  const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  const bare = text.replace(/("(?:\\.|[^"\\])*")|\/\/.*|\/\*[\s\S]*?\*\//g, '$1');
  return JSON.parse(bare.replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, '$1')) as TsConfig;
}

/** From this version of TypeScript on, `strict` is on where it is not set. */
const STRICT_BY_DEFAULT = 6;

/**
 * What to write into `tsconfig.json` in `root` for `strictNullChecks` to be on; undefined where it is, or where that
 * cannot be said. Reads settings as the compiler does, without loading it: that would take longer than all else here.
 */
export function missingStrictness(root: string): string | undefined {
  try {
    const file = join(root, 'tsconfig.json');
    const { references, compilerOptions } = readConfig(file);
    if (references !== undefined && compilerOptions === undefined) return undefined;
    const { strict, strictNullChecks } = optionsOf(chainOf(file));
    if (strictNullChecks !== undefined) return strictNullChecks ? undefined : '"strictNullChecks": true';
    return (strict ?? isStrictByDefault(root)) ? undefined : '"strict": true';
  } catch {
    // There is none, or the compiler will say what is wrong with it.
    return undefined;
  }
}

/** Whether the compiler that the project has installed takes `strict` as set. One that comes with this package does. */
function isStrictByDefault(root: string): boolean {
  try {
    const manifest = createRequire(join(root, 'package.json')).resolve('typescript/package.json');
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
    return Number.parseInt(version, 10) >= STRICT_BY_DEFAULT;
  } catch {
    return true;
  }
}
