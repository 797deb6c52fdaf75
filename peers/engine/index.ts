/** What engines have in common that connect machines over a broker, published as `fwkit/peers`. */

export {
  appNameOf,
  type ConnectedEngine,
  connectMachines,
  isAppName,
  type MachineConnection,
} from './connect.js';
export { LeasedLocks, type LeaseStore } from './leased-locks.js';
export { type EngineOptions, type EngineSettings, engineOptions } from './options.js';
export { Outage, type OutageOptions } from './outage.js';
export { Reports, type ReportsOptions } from './reports.js';
export { tellChanged } from './tell-changed.js';
export { Traffic } from './traffic.js';
