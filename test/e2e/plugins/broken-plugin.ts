import * as assert from 'uvu/assert';
import type { Ended } from '../../harness/fwk.js';
import type { Files } from '../../harness/project.js';
import { tells } from '../../harness/source.js';

// A project with a faulty plugin named jobs.

const header = `import { definePlugin, Stage } from 'fwkit/plugin';\n`;
export const plugin = (apply: string, more = '') =>
  `${header}export const plugin = () => definePlugin({ name: 'jobs', ${more} apply(hooks) {\n${apply}\n} });\n`;
export const config = (plugins = 'plugin()') =>
  `import { plugin } from './lib/plugin.js';\nexport default { plugins: [${plugins}] };\n`;
export const files = (text: string, more: Files = {}): Files => ({
  'api/x.get.ts': tells('get', 'x'),
  'lib/plugin.ts': text,
  'fwk.config.ts': config(),
  ...more,
});
export const route = `{ kind: 'job', protocol: 'job', file: 'api/x.get.ts', label: 'JOB x', id: 'GET /api/x' }`;
export const resolve = (body: string) =>
  `hooks.resolve.tapPromise('jobs', async (routes, project) => { ${body} });`;
export const failed = (phase: string, what: string) => `Plugin "jobs" failed in ${phase}: ${what}`;
export const remedy = `Fix it, or disable it with disable: ['jobs'].`;

/** Only sentences, and stack frames of the plugin's own code. */
export function assertNamed({ status, stderr }: Ended, sentence: string): void {
  assert.is(status, 1, stderr);
  assert.ok(stderr.includes(sentence), `Not said: ${sentence}\nIn:\n${stderr}`);
  assert.not.match(stderr, /node:internal|fwkit\/dist|dist\/bundle|node_modules/);
  assert.not.match(stderr, /^Node\.js v/m);
}
