/** The scope of a request, socket, job or call: its `ctx`, its logger, and logging of uncaught errors. */

export { LOG_SECRETS, LOG_TEXT, type LogCall, type LogText, logCall } from './log-call.js';
export { logSafely } from './log-safely.js';
export { LOG_LEVELS, ProjectLogger, projectLogger } from './project-logger.js';
export {
  ctxMembers,
  lightScopes,
  type RuntimeCtx,
  type Scope,
  type Scopes,
  scopesOf,
  setScopes,
} from './scope.js';
export {
  type CtxLogger,
  logFields,
  loggerProperty,
  type ProjectLoggers,
  scopeLogger,
} from './scope-logger.js';
export { addSecretValue, REDACTED, redactSecretValues } from './secret-values.js';
