/// <reference types="node" preserve="true" />
/** The entry for packages that connect machines over a broker, published as `fwkit/peers` beside `fwkit/plugin`. */
export {
  appNameOf,
  type ConnectedEngine,
  connectMachines,
  type EngineOptions,
  type EngineSettings,
  engineOptions,
  type Fields,
  isAppName,
  type JsonOf,
  LeasedLocks,
  type LeaseStore,
  Outage,
  type PeersEngine,
  type Receive,
  Reports,
  spanMachines,
  Traffic,
  tellChanged,
} from '../../peers/index.js';
export type {} from './codes.js';
