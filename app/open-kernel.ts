import {
  BootError,
  type EnabledPlugin,
  Kernel,
  type KernelOptions,
  type Logger,
  type OptionInput,
  type Plugin,
  type Project,
} from '../kernel/index.js';
import { errorReader, type Loader, nativeLoader, stallReporter } from '../loader/index.js';
import type { cacheOptions } from '../plugins/cache/index.js';
import type { compressionOptions } from '../plugins/compression/index.js';
import type { corsOptions } from '../plugins/cors/index.js';
import type { csrfOptions } from '../plugins/csrf/index.js';
import { allowInvalidValues } from '../plugins/env/index.js';
import type { healthOptions } from '../plugins/health/index.js';
import type { httpOptions } from '../plugins/http/index.js';
import { LOG_DEFAULTS, type LogSettings, type logOptions } from '../plugins/log/index.js';
import type { mcpOptions } from '../plugins/mcp/index.js';
import type { openapiOptions } from '../plugins/openapi/index.js';
import type { rateLimitOptions } from '../plugins/rate-limit/index.js';
import type { securityHeadersOptions } from '../plugins/security-headers/index.js';
import type { sessionOptions } from '../plugins/session/index.js';
import type { sseOptions } from '../plugins/sse/index.js';
import type { staticOptions } from '../plugins/static/index.js';
import type { viewsOptions } from '../plugins/views/index.js';
import type { wsOptions } from '../plugins/ws/index.js';
import { ProjectLogger } from '../scope/index.js';
import { builtins } from './builtins.js';
import { COMMAND_NAMES, withPluginName } from './check-plugin.js';
import { checks } from './checks/index.js';
import {
  type BaseConfig,
  disabledIn,
  findConfig,
  isPlugin,
  type LoadedConfig,
  loadConfig,
  NO_CONFIG,
  readConfig,
  withOverrides,
} from './config.js';
import { loadEnv } from './env.js';
import type { LoggerMaker } from './loggers.js';
import { readManifest } from './manifest.js';

/** Makes the compiler print the name of an interface with a single base instead of all its members. */
// biome-ignore lint/suspicious/noEmptyInterface: it adds nothing.
interface Named {}
interface HttpOptions extends OptionInput<typeof httpOptions>, Named {}
interface HealthOptions extends OptionInput<typeof healthOptions>, Named {}
interface CacheOptions extends OptionInput<typeof cacheOptions>, Named {}
interface StaticOptions extends OptionInput<typeof staticOptions>, Named {}
interface ViewsOptions extends OptionInput<typeof viewsOptions>, Named {}
interface McpOptions extends OptionInput<typeof mcpOptions>, Named {}
interface SessionOptions extends OptionInput<typeof sessionOptions>, Named {}
interface RateLimitOptions extends OptionInput<typeof rateLimitOptions>, Named {}
interface CsrfOptions extends OptionInput<typeof csrfOptions>, Named {}
interface SseOptions extends OptionInput<typeof sseOptions>, Named {}
interface WsOptions extends OptionInput<typeof wsOptions>, Named {}
interface CorsOptions extends OptionInput<typeof corsOptions>, Named {}
interface LogOptions extends OptionInput<typeof logOptions>, Named {}
interface OpenapiOptions extends OptionInput<typeof openapiOptions>, Named {}
interface CompressionOptions extends Omit<OptionInput<typeof compressionOptions>, 'enabled'> {}
interface SecurityHeadersOptions extends Omit<OptionInput<typeof securityHeadersOptions>, 'enabled'> {}

/** The keys of `fwk.config`. */
export interface Config extends BaseConfig {
  readonly http?: HttpOptions;
  readonly health?: HealthOptions;
  /** `true`, or its options: responses are compressed. */
  readonly compression?: boolean | CompressionOptions;
  readonly cache?: CacheOptions;
  readonly static?: StaticOptions;
  readonly views?: ViewsOptions;
  readonly mcp?: McpOptions;
  readonly session?: SessionOptions;
  readonly rateLimit?: RateLimitOptions;
  readonly csrf?: CsrfOptions;
  readonly sse?: SseOptions;
  readonly ws?: WsOptions;
  /** `true`, or its options: pages and data get the headers with which browsers protect them. */
  readonly securityHeaders?: boolean | SecurityHeadersOptions;
  readonly cors?: CorsOptions;
  readonly log?: LogOptions;
  readonly openapi?: OpenapiOptions;
}

/** Return the config unchanged, with its types checked: `export default defineConfig({ disable: ['views'] })`. */
export const defineConfig = (config: Config): Config => config;

export interface OpenOptions
  extends Omit<KernelOptions, 'plugins' | 'makeLogger' | 'errors' | 'reportStalls' | 'loader'> {
  readonly loader: Loader;
  /** Computes the options from the values in the config. */
  readonly logger: Logger | LoggerMaker;
  /** Overrides `fwk.config` key by key, and each option of a plugin separately. */
  readonly override?: Config;
  /** Other options that the caller accepts besides `override`, to suggest in case of a typo. */
  readonly knownOptions?: readonly string[];
  /** A plugin that is added after the plugins of the config. It has no options. */
  readonly extra?: Plugin | undefined;
  /** Whether to run with the built-in plugins and their defaults. */
  readonly ignoresConfig?: boolean;
}

export async function openKernel(options: OpenOptions): Promise<Kernel> {
  const {
    paths,
    override = {},
    knownOptions = [],
    extra,
    logger,
    ignoresConfig = false,
    previous,
    ...run
  } = options;
  loadEnv(paths.root, run.mode);
  allowInvalidValues(run.purpose === 'build');
  const config = ignoresConfig ? NO_CONFIG : await loadConfig(paths, run.loader);
  const merged =
    Object.keys(override).length === 0
      ? config
      : { ...config, ...withOverrides(config.value, override, knownOptions) };
  const enabled = merged === config ? readOnce(config) : readAll(merged);
  const plugins = [...enabled, ...(extra ? [{ plugin: extra, options: {} }] : [])];
  const settings = plugins.find(({ plugin }) => plugin.name === 'log')?.options as LogSettings | undefined;
  const own = typeof logger === 'function' ? logger(settings ?? LOG_DEFAULTS, run.mode) : logger;
  // The checks keep this function for as long as their version, so it must not refer to the previous version.
  const kernelOf = (some: readonly EnabledPlugin[], previous?: Project) =>
    new Kernel({
      ...run,
      previous,
      makeLogger: () => new ProjectLogger(own),
      errors: errorReader(paths.root),
      reportStalls: stallReporter(run.loader, paths.root),
      paths,
      // Options are read once: a plugin that sets an option sets its own.
      plugins: some.map(({ plugin, options }) => ({
        plugin: withPluginName(plugin, paths.root),
        options: { ...options },
      })),
    });
  const disabled = disabledIn(merged.value);
  const unsafe: unknown = merged.value.disableUnsafe ?? [];
  const checked = checks({
    file: findConfig(paths.source) ?? 'fwk.config',
    names: disabled.filter((name) => !(unsafe as readonly string[]).includes(name)),
    config: merged.value,
    filesOf: (name) => filesOfDisabled(name, merged.value, enabled, kernelOf),
    enabled: new Set(enabled.map(({ plugin }) => plugin.name)),
    disabled,
  });
  return kernelOf([...plugins, { plugin: checked, options: {} }], previous);
}

function filesOfDisabled(
  name: string,
  { plugins: outside }: LoadedConfig['value'],
  enabled: readonly EnabledPlugin[],
  kernelOf: (plugins: readonly EnabledPlugin[]) => Kernel,
): readonly string[] {
  const known = [...builtins(), ...(Array.isArray(outside) ? outside.filter(isPlugin) : [])];
  const added = known.filter((plugin) => plugin.name === name);
  const filesWith = (plugins: readonly EnabledPlugin[]) =>
    kernelOf(plugins)
      .entries()
      .map(({ file }) => file);
  const claimed = new Set(filesWith(enabled));
  try {
    const all = filesWith([...enabled, ...added.map((plugin) => ({ plugin, options: {} }))]);
    return all.filter((file) => !claimed.has(file));
  } catch (thrown) {
    // Another plugin claims these files, which may be why this plugin is disabled.
    if (thrown instanceof BootError) return [];
    throw thrown;
  }
}

const readAll = (config: LoadedConfig): readonly EnabledPlugin[] =>
  readConfig(config, builtins(), COMMAND_NAMES);

/** The same, read once: each save makes a new version of it, and few saves edit it. */
function readOnce(config: LoadedConfig): readonly EnabledPlugin[] {
  const plugins = read.get(config.value) ?? readAll(config);
  read.set(config.value, plugins);
  return plugins;
}

const read = new WeakMap<object, readonly EnabledPlugin[]>();

/** `eager`: import everything at boot, because another build may replace this one while it is served. */
export const openCompiled = ({
  eager = false,
  ...options
}: Omit<OpenOptions, 'loader' | 'metadata' | 'files'> & { readonly eager?: boolean }): Promise<Kernel> =>
  openKernel({
    ...options,
    loader: nativeLoader(),
    ...(eager ? {} : readManifest(options.paths.source)),
  });
