import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ConfigError, type ProjectPaths } from '../kernel/index.js';
import {
  isObject,
  type Loader,
  problemOf,
  reportWaiting,
  slashed,
  waitingModules,
} from '../kernel/internal.js';
import type { LoadedConfig } from './read-config.js';

const CONFIG_FILES = ['fwk.config.ts', 'fwk.config.mts', 'fwk.config.js', 'fwk.config.mjs'];

/** The name of the config file in `source`; undefined where there is none. */
export const findConfig = (source: string): string | undefined =>
  CONFIG_FILES.find((candidate) => existsSync(join(source, candidate)));

/** Every path that the config file in `source` may have. */
export const configPaths = (source: string): readonly string[] =>
  CONFIG_FILES.map((name) => join(source, name));

const NO_CONFIG: LoadedConfig = { file: 'fwk.config', value: {} };

/** Import `fwk.config` from the source directory; an empty config when there is none. Throws ConfigError. */
export async function loadConfig({ root, source }: ProjectPaths, loader: Loader): Promise<LoadedConfig> {
  const name = findConfig(source);
  if (name === undefined) return NO_CONFIG;
  const file = slashed(relative(root, join(source, name)));
  const loading = loader
    .import(join(source, name))
    .finally(reportWaiting(() => waitingModules(loader, root)));
  const { default: value } = await loading.catch((thrown) => {
    throw new ConfigError(problemOf(thrown, 'throws when it is imported', file, root, 'FWK106'));
  });
  if (isObject(value)) return { file, value, root };
  const message = 'has no default export that is an object. Export default defineConfig({ … }).';
  throw new ConfigError({ file, message, code: 'FWK203' });
}
