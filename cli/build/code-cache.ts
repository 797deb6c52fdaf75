import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ProjectPaths } from '../../kernel/internal.js';
import { write } from '../files/write.js';

/** A file of the bundle, where all are in one directory. */
const bundled = (name: string): URL => new URL(name, import.meta.url);

/** An app of the kind that most are: what it makes V8 compile, others need too. */
const APP = {
  'package.json': '{ "type": "module" }',
  'api/things/index.get.js': answering('() => ({ ok: true })'),
  'api/things/[id].get.js': answering('(req) => req.params'),
};

function answering(handler: string): string {
  return `import { get } from ${JSON.stringify(bundled('app.js'))};\nexport default get(${handler});\n`;
}

/**
 * The code that V8 compiles of the core while an app starts and answers: an app of ours, in a process of its own, since it depends on
 * Node and not on the project, of which nothing is run. Meanwhile it is in `.fwk/` below `root`; `prepare` makes it
 * ready, as a build does.
 */
export async function makeCodeCache(
  root: string,
  prepare: (app: ProjectPaths) => Promise<void>,
): Promise<Buffer> {
  const app = join(root, '.fwk/rehearsal');
  // An interrupted build may have left it.
  rmSync(app, { recursive: true, force: true });
  try {
    write(
      app,
      Object.entries(APP).map(([path, contents]) => ({ path, contents, ifExists: 'replace' })),
    );
    await prepare({ root: app, source: app });
    const file = join(app, 'code');
    await run([fileURLToPath(bundled('rehearsal.js')), app, '/api/things', file]);
    return readFileSync(file);
  } finally {
    rmSync(app, { recursive: true, force: true });
  }
}

/** Run Node, with the flags of NODE_OPTIONS as production will. Rejects with the first thing that it says went wrong. */
async function run(args: readonly string[]): Promise<void> {
  // One would take the place of this cache, the other keep it from reaching itself.
  const { NODE_COMPILE_CACHE: _cache, NODE_USE_ENV_PROXY: _proxy, ...env } = process.env;
  const options = { env: { ...env, NODE_ENV: 'production' }, timeout: 30_000 };
  try {
    await promisify(execFile)(process.execPath, args, options);
  } catch (cause) {
    const [firstLine] =
      cause instanceof Error && 'stderr' in cause ? String(cause.stderr).split('\n', 1) : [];
    throw firstLine ? new Error(firstLine) : cause;
  }
}
