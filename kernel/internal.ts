/** The entry for code that runs a kernel: the command line and an app's own entry point. Plugins import `index.ts`. */

export {
  explain,
  extendedBy,
  findBuildPackage,
  type Loader,
  ModuleError,
  modulePath,
  nativeLoader,
  type PackageManager,
  type Paint,
  packageManager,
  type Renewal,
  reportWaiting,
  rootOfTests,
  type SourceLoader,
  sourceLoader,
  testLoader,
  waitingModules,
} from '../loader/index.js';
export type { ReloadObserver } from './activation.js';
export { Claims, type Entry } from './claims.js';
export { type Clock, systemClock, type Timer } from './clock.js';
export type { Command, CommandAddition, CommandRun, Flag, Flags, OpenOptions, Served } from './command.js';
export { Deferred } from './deferred.js';
export type { Examination, Finding } from './errors/finding.js';
export {
  attributeErrors,
  BootError,
  codeOf,
  describeProblem,
  describeWithCode,
  hasPage,
  messageOf,
  type Notice,
  PluginError,
  PluginMisuse,
  type Problem,
  type ProblemCode,
  problemOf,
  readMore,
} from './errors/index.js';
export type { Output } from './generation.js';
export { Health } from './health.js';
export { isObject } from './is-object.js';
export { claimedDirectories, type EnabledPlugin, Kernel, type KernelOptions } from './kernel.js';
export type { Lifecycle, Resolved } from './lifecycle.js';
export type { Logger, LogLevel } from './log/index.js';
export { type ProjectPaths, slashed } from './paths.js';
export type { Plugin } from './plugin.js';
export type { Project, ProjectOptions } from './project.js';
export type { Metadata } from './project-run.js';
export type { BaseRoute } from './routes.js';
export { Runtime } from './runtime.js';
export type { Scope } from './scope.js';
export { StaleMetadata, type Verification } from './verification.js';
