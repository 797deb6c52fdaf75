import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKS } from '../../app/checks/index.js';
import type { CommandRun } from '../../contributions/index.js';
import { CHECKED_PROJECT } from '../../plugins/typegen/index.js';
import { generate } from '../files/generate.js';

/**
 * Write `.fwk/types.d.ts` and print its path. With `--client`, also write the types for a frontend; with
 * `--check`, have the compiler check the project.
 */
export async function run({ flags, paths, open }: CommandRun): Promise<void> {
  const { client, check } = flags;
  const frontend = typeof client === 'string' ? await import('../build/client-types.js') : undefined;
  frontend?.checkClientFile(String(client));
  const kernel = await open();
  const [types, ...more] = await unoptimized(() => generate(kernel, paths(), 'types', { check }));
  console.log(types?.path ?? 'Nothing to generate: the plugin "typegen" is disabled in fwk.config.');
  if (types) await frontend?.writeClientTypes(paths().root, String(client));
  if (check !== true) return;
  await generate(kernel, paths(), CHECKS);
  await checkTypes(paths().root, more.find(({ path }) => path === CHECKED_PROJECT)?.path);
}

/**
 * Disable V8's optimizing compilers while `work` runs: optimizing takes a quarter of the time of a project
 * with ten thousand files, and the process ends before it pays off. The flag is restored afterwards, because
 * Node's compile cache depends on the flags.
 */
async function unoptimized<T>(work: () => Promise<T>): Promise<T> {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  setFlagsFromString('--no-opt');
  return work().finally(() => setFlagsFromString('--opt'));
}

/** Prints the compiler's output unchanged. `project`: the tsconfig, if it is not the project's own. */
async function checkTypes(root: string, project?: string): Promise<void> {
  if (!existsSync(join(root, 'tsconfig.json')))
    return console.log('There is no tsconfig.json: nothing to check.');
  const { tsc } = await import('../build/tsc.js');
  const { status } = await tsc(root, ['--noEmit'], project);
  process.exitCode = status;
}
