/// <reference types="node" preserve="true" />
/** The entry for tests of an app or a plugin, published as `fwkit/testing`. */

export type {} from '../app/entries/codes.js';
export { type TestClock, type TestDuration, testClock } from './app/clock.js';
export { createTestApp, type TestApp, type TestAppOptions } from './app/create-test-app.js';
export type { TestEvents, TestEventsOptions } from './app/events.js';
export type { TestFailure } from './app/failures.js';
export { type TestLeak, TestLeakError } from './app/leaks.js';
export {
  type TestMcp,
  type TestMcpContent,
  type TestMcpEntry,
  TestMcpError,
  type TestMcpOptions,
  type TestToolResult,
} from './app/mcp.js';
export { TestRefusal } from './app/queue.js';
export type {
  TestClosing,
  TestRequestOptions,
  TestSocket,
  TestSocketOptions,
  TestVisitor,
} from './app/test-visitor.js';
export {
  type BrokenLaw,
  type PluginFixtures,
  type PluginLaw,
  PluginLawError,
  type PluginReport,
  type PluginTestApp,
  pluginLaws,
  testPlugin,
} from './plugin/index.js';
export { type TestMachine, testMachines } from './test-machines.js';
