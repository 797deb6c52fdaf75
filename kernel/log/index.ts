export { type LogCall, logCall } from './log-call.js';
export { logSafely } from './log-safely.js';
export {
  type CtxLogger,
  LOG_LEVELS,
  type Logger,
  type LogLevel,
  type LogMethod,
  logFields,
  ProjectLogger,
  type ProjectLoggers,
  scopeLogger,
} from './logger.js';
export { loggerProperty } from './logger-property.js';
