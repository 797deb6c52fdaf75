/** What processes that serve one app have in common: `Peers` of kernel/peers.ts for one process, and across machines. */

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
export { type Claim, LocalLocks, timeoutOf, whileHeld } from './local-locks.js';
export { LocalMemories } from './local-memories.js';
export { LocalMemory } from './local-memory.js';
export { LocalRoster } from './local-roster.js';
export { waitOf } from './lock-arguments.js';
export { acrossMachines } from './machines.js';
export { checkMemoryOptions } from './memory-arguments.js';
export { checkHead } from './message.js';
export { OneProcess } from './one-process.js';
export { derive, givenSecret, randomSecret } from './secret.js';
export { Topics } from './topics.js';
