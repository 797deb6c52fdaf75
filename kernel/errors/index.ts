export {
  BootError,
  ConfigError,
  describeProblem,
  describeWithCode,
  MissingPackage,
  messageOf,
  type Notice,
  type Problem,
  readMore,
} from './boot-error.js';
export { coded, codeOf, hasPage } from './coded.js';
export type { Codes, OwnCode, ProblemCode } from './codes.js';
export { attributeErrors, PluginError, PluginMisuse } from './plugin-error.js';
export { problemOf } from './problem-of.js';
