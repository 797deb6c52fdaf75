import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Place } from '../kernel/host.js';
import { CODE_CACHE } from '../plugins/code-cache.js';

/** Beside this module, or the file of the bundle that it is in. */
const beside = (name: string): URL => new URL(name, import.meta.url);

/** An app of the kind that most are: what it makes V8 compile, others need too. */
const APP = {
  'package.json': '{ "type": "module" }',
  'api/things/index.get.js': answering('() => ({ ok: true })'),
  'api/things/[id].get.js': answering('(req) => req.params'),
};

function answering(handler: string): string {
  return `import { get } from ${JSON.stringify(beside('app.js'))};\nexport default get(${handler});\n`;
}

/**
 * What V8 makes of the core while an app starts and answers, by a start in a process of its own: it depends on the
 * version of Node, not on the project, of which nothing is run. `prepare` makes the app ready as a build does.
 */
export async function rehearse(prepare: (place: Place) => Promise<void>): Promise<Buffer | undefined> {
  const root = mkdtempSync(join(tmpdir(), 'fwk-'));
  try {
    for (const [name, text] of Object.entries(APP)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    await prepare({ root, source: root });
    const file = join(root, CODE_CACHE);
    await run([fileURLToPath(beside('rehearsal.js')), root, '/api/things', file]);
    return existsSync(file) ? readFileSync(file) : undefined;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Run Node. Rejects with the first thing that it says of what went wrong. */
async function run(args: readonly string[]): Promise<void> {
  // What they ask of Node, the build's start need not have in common with those to come: V8 refuses code of other flags.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('NODE_')));
  try {
    await promisify(execFile)(process.execPath, args, { env, timeout: 30_000 });
  } catch (cause) {
    const [told] = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).split('\n', 1) : [];
    throw told ? new Error(told) : cause;
  }
}
