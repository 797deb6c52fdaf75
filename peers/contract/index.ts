export { type Json, type JsonOf, notJson } from './json.js';
export type {
  Fields,
  Held,
  Kept,
  Lock,
  LockOptions,
  MemoryOptions,
  Peers,
  PeersEngine,
  Receive,
  Roster,
  SharedMemory,
} from './peers.js';
export { isLockTaken, isUnavailable, LockTaken, Unavailable } from './peers.js';
