/** What the processes of one app share: the contract, one process, and engines that span machines. */

export {
  appNameOf,
  type ConnectedEngine,
  connectMachines,
  type EngineOptions,
  type EngineSettings,
  engineOptions,
  isAppName,
  LeasedLocks,
  type LeaseStore,
  type MachineConnection,
  Outage,
  type OutageOptions,
  Reports,
  type ReportsOptions,
  Traffic,
  tellChanged,
} from './engine/index.js';
export { type Claim, LocalLocks, timeoutOf, whileHeld } from './local/local-locks.js';
export { LocalMemories } from './local/local-memories.js';
export { LocalMemory } from './local/local-memory.js';
export { LocalRoster } from './local/local-roster.js';
export { waitOf } from './local/lock-arguments.js';
export { acrossMachines } from './local/machines.js';
export { checkMemoryOptions } from './local/memory-arguments.js';
export { checkHead } from './local/message.js';
export { OneProcess } from './local/one-process.js';
export { derive, givenSecret, randomSecret } from './local/secret.js';
export { Topics } from './local/topics.js';
