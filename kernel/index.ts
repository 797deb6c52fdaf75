/** Runs a project: discover, resolve, serve, generate. Everything else in the repository imports the kernel from here. */

export type { ReloadObserver } from './activation.js';
export { Claims, type Entry } from './claims.js';
export type { Codes, OwnCode, ProblemCode } from './codes.js';
export type { Clock, ErrorReader, Loader, Logger, LogLevel, LogMethod, Namespace } from './environment.js';
export { type ProjectPaths, type ReportStalls, systemClock, type Timer, toPosix } from './environment.js';
export {
  attributeErrors,
  BootError,
  ConfigError,
  coded,
  codeOf,
  describeProblem,
  type FrameReader,
  hasPage,
  messageOf,
  type Notice,
  PluginError,
  PluginMisuse,
  type Problem,
} from './errors.js';
export { claimedDirectories, type EnabledPlugin, Kernel, type KernelOptions } from './kernel.js';
export type {
  Contributor,
  Generated,
  Generation,
  Option,
  OptionInput,
  OptionShape,
  OptionValues,
  Output,
  Resolved,
} from './plugin.js';
export { definePlugin, type Hooks, PLUGIN_API_VERSION, type Plugin, Stage, type Tap } from './plugin.js';
export type { Project, ProjectOptions } from './project.js';
export { type Metadata, type ProjectRun, StaleMetadata, type Verification } from './project-run.js';
export type { BaseRoute, RouteMember } from './routes.js';
export { Runtime, type RuntimeOptions, type Serving, type Transport } from './runtime.js';
export { Deferred, Disposer, isObject, isThenable, type SlotKey, slotKey } from './values.js';
