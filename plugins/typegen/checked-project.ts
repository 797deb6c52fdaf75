import { dirname, join, parse, resolve, sep } from 'node:path';
import { sourcePaths } from './source-paths.js';
import { chainOf, optionsOf, type ReadConfig, type TsConfig } from './tsconfig.js';

/** Where the module is that checks exports. `.fwk/**` does not match it: it is no source, and out of `rootDir`. */
export const EXPORTS = '.fwk/.exports.ts';

/** In a config that others extend, the directory of the one that is used. */
const CONFIG_DIR = '$\u007bconfigDir}';

/**
 * The settings, for a file in `.fwk/`, that check the project in `root` together with the module at `EXPORTS`. Undefined where the
 * project's cannot be read, or only list other projects.
 */
export function checkedProject(root: string): string | undefined {
  let chain: ReadConfig[];
  try {
    chain = chainOf(join(root, 'tsconfig.json'));
  } catch {
    // There is none, or the compiler will say what is wrong with it.
    return undefined;
  }
  const { references } = chain.at(-1)?.config ?? {};
  const files = absolute(chain, 'files');
  const include = absolute(chain, 'include');
  if (files?.length === 0 && include === undefined) return undefined;
  const exclude = absolute(chain, 'exclude');
  const options = optionsOf(chain);
  const own = Object.entries(options).filter(([, value]) => JSON.stringify(value).includes(CONFIG_DIR));
  const paths = pathsIn(chain, root);
  const given: TsConfig = {
    extends: '../tsconfig.json',
    compilerOptions: {
      ...inDirectory(Object.fromEntries(own), root),
      noEmit: true,
      // Which holds the sources, wherever they are, and the module. Nothing is written that it would have a say in.
      rootDir: parse(root).root,
      ...(paths && { paths }),
      ...((options.incremental === true || options.composite === true) && {
        tsBuildInfoFile: './.check.tsbuildinfo',
      }),
    },
    files: [...inDirectory(files ?? [], root), join(root, EXPORTS)],
    ...((include ?? files) === undefined
      ? { include: ['../**/*'] }
      : include && { include: inDirectory(include, root) }),
    ...(exclude && { exclude: inDirectory(exclude, root) }),
    ...(references && {
      references: references.map((one) => ({ ...one, path: resolve(root, one.path) })),
    }),
  };
  return `${JSON.stringify(given, null, 2)}\n`;
}

/** The `paths` that hold, and the sources that the compiler would find by the `rootDir` of the project; undefined where it finds all. */
function pathsIn(chain: readonly ReadConfig[], root: string): Record<string, string[]> | undefined {
  const outDir = directory(chain, 'outDir', root);
  const rootDir = directory(chain, 'rootDir', root);
  if (outDir === undefined || rootDir === undefined) return undefined;
  const found = sourcePaths(root, rootDir, outDir);
  if (Object.keys(found).length === 0) return undefined;
  const { file = '', config } = setting(chain, 'paths') ?? {};
  const given = Object.entries(Object(config?.compilerOptions?.paths)).map(([name, targets]) => {
    const all = [targets].flat().map((target) => resolved(`${target}`, file, root));
    return [name, all] as const;
  });
  return { ...found, ...Object.fromEntries(given) };
}

/** The last config of a chain that sets an option. */
const setting = (chain: readonly ReadConfig[], option: string): ReadConfig | undefined =>
  chain.findLast(({ config }) => config.compilerOptions?.[option] !== undefined);

function directory(chain: readonly ReadConfig[], option: string, root: string): string | undefined {
  const { file = '', config } = setting(chain, option) ?? {};
  const value = config?.compilerOptions?.[option];
  return typeof value === 'string' ? resolved(value, file, root) : undefined;
}

/** A path in a config, absolute. */
const resolved = (path: string, file: string, root: string): string =>
  resolve(
    dirname(file),
    path.replace(CONFIG_DIR, () => root),
  )
    .split(sep)
    .join('/');

/** The list that holds, of a chain's, as absolute paths but for those in the directory of the config that is used. */
function absolute(
  chain: readonly ReadConfig[],
  key: 'files' | 'include' | 'exclude',
): readonly string[] | undefined {
  const { file, config } = chain.findLast(({ config }) => config[key] !== undefined) ?? {};
  if (file === undefined) return undefined;
  return config?.[key]?.map((path) =>
    path.startsWith(CONFIG_DIR) ? path : resolve(dirname(file), path).split(sep).join('/'),
  );
}

const inDirectory = <T>(value: T, root: string): T =>
  JSON.parse(JSON.stringify(value).replaceAll(CONFIG_DIR, () => JSON.stringify(root).slice(1, -1)));
