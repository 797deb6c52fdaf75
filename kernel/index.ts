/// <reference types="node" preserve="true" />
/** What a plugin may import: published as `fwkit/plugin`. The built-in plugins use nothing else. */
export type { Claims } from './claims.js';
export { BootError, ConfigError, messageOf, type Problem } from './errors.js';
export { emitDirectory, emitModule, type Generation, type Output } from './generation.js';
export {
  type Excerpt,
  type Explanation,
  type Frame,
  type Namespace,
  onDemand,
  type Trace,
} from './load/index.js';
export type { Logger } from './logger.js';
export { type Option, type OptionInput, type OptionShape, type OptionValues, option } from './options.js';
export type { Peers, SharedMemory } from './peers.js';
export { definePlugin, type Hooks, type Plugin, Stage, type Tap } from './plugin.js';
export type { Entry, Project } from './project.js';
export type { BaseRoute } from './routes.js';
export type { RuntimeCtx, Scope, Scopes } from './scope.js';
export type { Runtime, Serving } from './serving.js';
export type { Verification } from './verification.js';
