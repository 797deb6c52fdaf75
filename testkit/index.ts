/// <reference types="node" preserve="true" />
/** The entry for tests of an app or a plugin, published as `fwkit/testing`. */

export type {} from '../app/entries/codes.js';
export { type TestClock, testClock } from './app/clock.js';
export { createTestApp, type TestApp, type TestAppOptions } from './app/create-test-app.js';
export type { TestEvents } from './app/events.js';

export { TestLeakError } from './app/leaks.js';
export { type TestMcp, TestMcpError, type TestToolResult } from './app/mcp.js';
export { TestRefusal } from './app/queue.js';
export type { TestRequestOptions, TestSocket, TestVisitor } from './app/test-visitor.js';
export {
  type PluginFixtures,
  PluginLawError,
  type PluginTestApp,
  testPlugin,
} from './plugin/index.js';
export { type TestMachine, testMachines } from './test-machines.js';
