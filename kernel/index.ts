/** What a plugin may import: published as `fwkit/plugin`. The built-in plugins use nothing else. */
export type { Claims } from './claims.js';
export { type BaseConfig, CONFIG_FILES, type LoadedConfig, loadConfig } from './config.js';
export { envFiles, loadEnv } from './env.js';
export { BootError, ConfigError, describeProblem, messageOf, type Problem } from './errors.js';
export type { Generated, Generation, Output } from './generation.js';
export { Kernel, type KernelOptions, type Resolved } from './kernel.js';
export { type Loader, type Namespace, nativeLoader, sourceLoader } from './load/index.js';
export { consoleLogger, type Logger, silentLogger } from './logger.js';
export { type Option, type OptionInput, type OptionShape, type OptionValues, option } from './options.js';
export { definePlugin, type Hooks, type Plugin, Stage, type Tap } from './plugin.js';
export { type Entry, locate, type Place, type Project } from './project.js';
export type { BaseRoute } from './routes.js';
export type { RuntimeCtx, Scope, Scopes } from './scope.js';
export { type Serving, Shell } from './serving.js';
export { type Written, write } from './write.js';
