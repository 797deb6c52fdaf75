/** Exports for the other built-in plugins, `app/` and `testkit/` that are not public names of `index.ts`. */
export { type CustomLogger, completeLogger } from './custom-logger.js';
export { INVALID_KEY, isCtxKey, type Provision, takeProvided } from './provide.js';
export type { Lifetime, OnDestroy, OutOfReach, ProvideTools } from './provider.js';
export {
  attachSession,
  FleetingSession,
  Guest,
  type Session,
  type SessionEnd,
  sessionOf,
  storableText,
} from './session.js';
