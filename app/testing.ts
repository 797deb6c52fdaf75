/// <reference types="node" preserve="true" />
/** The entry for tests of an app or a plugin, published as `fwkit/testing`. */

export {
  type BrokenLaw,
  type PluginFixtures,
  type PluginLaw,
  PluginLawError,
  type PluginReport,
  type PluginTestApp,
  pluginLaws,
  testPlugin,
} from './plugin-testing/index.js';
export { type TestClock, type TestDuration, testClock } from './test-app/clock.js';
export { createTestApp, type TestApp, type TestAppOptions } from './test-app/create-test-app.js';
export type { TestEvents, TestEventsOptions } from './test-app/events.js';
export type { TestFailure } from './test-app/failures.js';
export { type TestLeak, TestLeakError } from './test-app/leaks.js';
export {
  type TestMcp,
  type TestMcpContent,
  type TestMcpEntry,
  TestMcpError,
  type TestMcpOptions,
  type TestToolResult,
} from './test-app/mcp.js';
export { TestRefusal } from './test-app/refusal.js';
export type {
  TestClosing,
  TestRequestOptions,
  TestSocket,
  TestSocketOptions,
  TestVisitor,
} from './test-app/test-visitor.js';
export { type TestMachine, testMachines } from './test-machines.js';
