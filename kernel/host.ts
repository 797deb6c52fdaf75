/** What runs a kernel needs: the command line, and an app's own entry point. Plugins import `index.ts`. */

export type { ReloadObserver } from './activation.js';
export { type BaseConfig, isObject, type LoadedConfig, loadConfig } from './config.js';
export { Deferred } from './deferred.js';
export { envFiles, loadEnv } from './env.js';
export { BootError, describeProblem, messageOf, type Problem } from './errors.js';
export type { Output } from './generation.js';
export { Kernel, type Resolved } from './kernel.js';
export {
  explain,
  extendedBy,
  type Loader,
  ModuleError,
  nativeLoader,
  type Paint,
  type Renewal,
  type SourceLoader,
  sourceLoader,
  testLoader,
} from './load/index.js';
export { consoleLogger, type Logger, silentLogger } from './logger.js';
export { LAST_PORT, readWhole } from './number.js';
export { locate, markIn, type ProjectPaths } from './paths.js';
export { type Entry, type Metadata, type Project, problemOf } from './project.js';
export type { BaseRoute } from './routes.js';
export { Runtime } from './serving.js';
export { StaleMetadata, type Verification } from './verification.js';
