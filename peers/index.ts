/** Messages, memory and locks shared by the processes of one app: the contract, one process, and engines that connect machines. */

export {
  type Fields,
  isLockTaken,
  isUnavailable,
  type Json,
  type JsonOf,
  type Lock,
  type LockHandle,
  type LockOptions,
  LockTaken,
  type MemoryEntry,
  type MemoryOptions,
  notJson,
  type Peers,
  type PeersEngine,
  type Receive,
  type Roster,
  type SharedMemory,
  Unavailable,
} from './contract.js';
export {
  appNameOf,
  type ConnectedEngine,
  connectMachines,
  type EngineOptions,
  type EngineSettings,
  engineOptions,
  isAppName,
  type MachineConnection,
  tellChanged,
} from './engine/connect.js';
export { LeasedLocks, type LeaseStore } from './engine/leased-locks.js';
export { Outage, type OutageOptions, Reports, type ReportsOptions, Traffic } from './engine/reports.js';
export { type Claim, LocalLocks, timeoutOf, waitOf, whileHeld } from './local/local-locks.js';
export { LocalMemories } from './local/local-memories.js';
export { checkMemoryOptions, LocalMemory } from './local/local-memory.js';
export { OneProcess } from './local/one-process.js';
export { derive, givenSecret, randomSecret } from './local/secret.js';
export { checkHead, Topics } from './local/topics.js';
export { acrossMachines, machinePeersOf, peersOf, setMachinePeers, spanMachines } from './of-runtime.js';
export { ALIVE, Rosters } from './rosters.js';
