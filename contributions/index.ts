/** A plugin's contributions beside its taps: commands, doctor rules, starters, types, health checks. */

export { type Brand, brand } from './brand.js';
export type {
  Command,
  CommandAddition,
  CommandRun,
  Flag,
  Flags,
  Lifecycle,
  OpenOptions,
  Served,
} from './command.js';
export type { Doctor, Examination, Finding } from './doctor.js';
export { emitDirectory, emitModule, type Guide } from './guide.js';
export { Health, type HealthStatus, healthOf } from './health.js';
export { listOf, mistakesInOptions, oneOf, option, wrongMembers } from './option.js';
export { type OpenRooms, openRoomsOf } from './rooms.js';
export { compiledName, type ExportCheck, moduleType, type TypeContribution } from './types.js';
