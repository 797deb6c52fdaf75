import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as assert from 'uvu/assert';
import { atExit } from '../../harness/cleanup.js';
import { type Ended, ended, start } from '../../harness/fwk.js';
import { registry } from '../../harness/registry.js';

// Projects that npm create fwkit has made and installed, from a registry.

export const patience = 150_000;

/** Where they are made. */
export const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'fwk-create-')));
atExit(() => rmSync(base, { recursive: true, force: true, maxRetries: 3 }));
export const source = await registry(['create-fwkit', 'fwkit', '@fwkit/build']);
atExit(() => source.close());

const settings = {
  npm_config_registry: source.url,
  npm_config_cache: path.join(base, 'cache'),
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  npm_config_yes: 'true',
};

export function begin(cwd: string, command: string, env: Readonly<Record<string, string>> = {}) {
  const pairs = Object.entries({ ...settings, ...env }).map(([key, value]) => `${key}=${value}`);
  return start('/usr/bin/env', [...pairs, 'sh', '-c', command], cwd);
}

export async function run(
  cwd: string,
  command: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const child = begin(cwd, command, env);
  const result = await ended(child, command, undefined, patience);
  assert.is(result.status, 0, `${command}\n${result.stdout}${result.stderr}`);
  return result;
}

/** What npm makes of `npm create fwkit …`; the second time its cache has all. */
const made = new Map<string, Promise<string>>();
export function created(layout: 'ts' | 'js'): Promise<string> {
  const known = made.get(layout);
  if (known) return known;
  // Without two dashes, which people forget.
  const flags = layout === 'js' ? ' --js' : '';
  const making = run(base, `npm create fwkit ${layout}-app${flags}`).then(() =>
    path.join(base, `${layout}-app`),
  );
  made.set(layout, making);
  return making;
}
