import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, resolve } from 'node:path';

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
