import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Plugin from '../../app/entries/plugin.js';
import type * as Testing from '../../testkit/index.js';
import { installed } from '../harness/installed.js';

const bundled = (name: string) =>
  pathToFileURL(path.join(installed(), `node_modules/fwkit/dist/bundle/${name}.js`)).href;

/** The imports of a plugin's test: the installed fwkit/testing and fwkit/plugin. */
export const { testPlugin, PluginLawError } = (await import(bundled('testing'))) as typeof Testing;
export const { definePlugin, healthOf, peersOf, Stage, slotKey } = (await import(
  bundled('plugin')
)) as typeof Plugin;
