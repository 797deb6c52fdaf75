export { isLockTaken, isUnavailable, LockTaken, Unavailable } from './errors.js';
export type {
  Fields,
  Held,
  Json,
  Kept,
  Lock,
  LockOptions,
  MachinePeers,
  Peers,
  PeersEngine,
  Receive,
  Roster,
  SharedMemory,
} from './peers.js';
