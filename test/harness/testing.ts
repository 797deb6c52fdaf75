import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as published from '../../testkit/index.js';
import { installed } from './installed.js';

/** The published modules of `fwkit/testing`, which projects import. */
export const {
  createTestApp,
  testClock,
  testMachines,
  testPlugin,
  PluginLawError,
  TestRefusal,
  TestMcpError,
  TestLeakError,
} = (await import(
  pathToFileURL(path.join(installed(), 'node_modules/fwkit/dist/bundle/testing.js')).href
)) as typeof published;
