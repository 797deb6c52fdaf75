import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { ModuleError } from './errors/module-error.js';
import { parseJsonc } from './json.js';
import { isTooManyOpenFiles } from './on-demand.js';

export interface TsConfig {
  readonly compilerOptions?: Readonly<Record<string, unknown>>;
  readonly extends?: string | readonly string[];
  /** Projects with their own settings. A file with nothing else only lists them. */
  readonly references?: readonly { readonly path: string }[];
  readonly files?: readonly string[];
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

export interface ReadConfig {
  readonly file: string;
  readonly config: TsConfig | undefined;
}

/** The tsconfig `file` after the files that it extends; `above` are the files that extend it. Throws a ModuleError for an invalid file. */
export function tsconfigChain(file: string, above: readonly string[] = []): ReadConfig[] {
  const chain = [...above, file];
  if (above.includes(file)) {
    const names = chain.map((one) => path.basename(one)).join(' → ');
    throw new ModuleError('ERR_MODULE_SYNTAX', `it extends itself: ${names}`, above.at(-1) ?? file);
  }
  const config = read(file);
  const bases = [config?.extends ?? []].flat().flatMap((name): ReadConfig[] => {
    const base = extendedBy(file, name);
    return base === undefined ? [{ file: name, config: undefined }] : tsconfigChain(base, chain);
  });
  return [...bases, { file, config }];
}

/** The file that the tsconfig `file` extends by `name`: `./base`, `./base.json`, or one in a package, if it exists. */
export function extendedBy(file: string, name: string): string | undefined {
  if (/^\.{0,2}\//.test(name))
    return path.resolve(file, '..', name.endsWith('.json') ? name : `${name}.json`);
  for (const candidate of [name, `${name}.json`, `${name}/tsconfig.json`]) {
    try {
      const found = createRequire(file).resolve(candidate);
      // The bare name of a package may resolve to code.
      if (found.endsWith('.json')) return found;
    } catch {}
  }
  return undefined;
}

function read(file: string): TsConfig | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (isTooManyOpenFiles(error)) throw error;
    return undefined;
  }
  return parseJsonc(text, file);
}
