import {
  type BaseConfig,
  Kernel,
  type LoadedConfig,
  type Loader,
  type Logger,
  loadConfig,
  loadEnv,
  type Place,
} from '../kernel/host.js';
import type { OptionInput } from '../kernel/index.js';
import { builtins } from './builtins.js';
import type { httpOptions } from './http/index.js';
import type { sessionOptions } from './session/index.js';

/** What `fwk.config` may hold. */
export interface Config extends BaseConfig {
  readonly http?: OptionInput<typeof httpOptions>;
  readonly session?: OptionInput<typeof sessionOptions>;
}

/** Return the config as it is, checked by type: `export default defineConfig({ disable: ['views'] })`. */
export const defineConfig = (config: Config): Config => config;

export interface OpenOptions {
  readonly place: Place;
  readonly mode: string;
  readonly loader: Loader;
  readonly logger: Logger;
  /** Wins over `fwk.config`, key by key. */
  readonly override?: Config;
}

/** A kernel for the project at `place`: its `.env` files are loaded, its config is read, the built-ins are in. */
export async function openKernel({ place, mode, loader, logger, override }: OpenOptions): Promise<Kernel> {
  loadEnv(place.root, mode);
  const { file, value } = await loadConfig(place.source, loader);
  const config: LoadedConfig = { file, value: { ...value, ...override } };
  return new Kernel({ place, mode, config, builtins: builtins(), loader, logger });
}
