/** What engines have in common that connect machines over a broker, published as `fwkit/peers`. */

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
} from './connect.js';
export { LeasedLocks, type LeaseStore } from './leased-locks.js';
export { Outage, type OutageOptions, Reports, type ReportsOptions, Traffic } from './reports.js';
