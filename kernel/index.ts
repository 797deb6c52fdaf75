/// <reference types="node" preserve="true" />
/** The entry for plugins, published as `fwkit/plugin`. The built-in plugins use nothing else of the kernel. */

export {
  type Excerpt,
  type Explanation,
  type Frame,
  type Namespace,
  onDemand,
  type Trace,
} from '../loader/index.js';
export {
  type Fields,
  type Held,
  isLockTaken,
  isUnavailable,
  type Json,
  type JsonOf,
  type Kept,
  type Lock,
  type LockOptions,
  LockTaken,
  type MachinePeers,
  type MemoryOptions,
  notJson,
  type Peers,
  type PeersEngine,
  type Receive,
  type Roster,
  type SharedMemory,
  Unavailable,
} from '../peers/contract/index.js';
export { type Brand, brand } from './brand.js';
export type { Claims, Entry } from './claims.js';
export { type Clock, systemClock, type Timer } from './clock.js';
export type { Command, CommandAddition, CommandRun, Flag, Flags, OpenOptions, Served } from './command.js';
export { Deferred } from './deferred.js';
export { Disposer } from './disposer.js';
export type { Doctor, Examination, Finding } from './errors/finding.js';
export {
  BootError,
  type Codes,
  ConfigError,
  coded,
  hasPage,
  messageOf,
  type Notice,
  type OwnCode,
  type Problem,
  type ProblemCode,
} from './errors/index.js';
export {
  type Brief,
  type Contributor,
  type ExportCheck,
  emitDirectory,
  emitModule,
  type Generated,
  type Generation,
  type Guide,
  moduleType,
  type Output,
  type TypeContribution,
} from './generation.js';
export type { Health, HealthStatus } from './health.js';
export { isObject } from './is-object.js';
export type { Lifecycle, Resolved } from './lifecycle.js';
export {
  type CtxLogger,
  LOG_LEVELS,
  type LogCall,
  type Logger,
  type LogLevel,
  type LogMethod,
  logCall,
  logFields,
  loggerProperty,
  logSafely,
  type ProjectLogger,
  type ProjectLoggers,
  scopeLogger,
} from './log/index.js';
export { type Option, type OptionInput, type OptionShape, type OptionValues, option } from './options.js';
export type { ProjectPaths } from './paths.js';
export { type Hooks, Stage, type Tap } from './phases.js';
export { definePlugin, PLUGIN_API_VERSION, type Plugin } from './plugin.js';
export type { Project } from './project.js';
export type { ProjectRun } from './project-run.js';
export type { Provide, ProviderInfo, ProvideTools, Provision } from './provide.js';
export type { BaseRoute, RouteMember } from './routes.js';
export type { Runtime, RuntimeOptions, Serving, Transport } from './runtime.js';
export { lightScopes, type RuntimeCtx, type Scope, type Scopes } from './scope.js';
export { isThenable } from './thenable.js';
export type { Verification } from './verification.js';
