export {
  BootError,
  ConfigError,
  describeProblem,
  MissingPackage,
  messageOf,
  type Problem,
} from './boot-error.js';
export { attributeErrors, PluginError, PluginMisuse } from './plugin-error.js';
export { problemOf } from './problem-of.js';
