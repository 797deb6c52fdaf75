import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKS } from '../../app/checks/index.js';
import { describeWithCode, readMore } from '../../app/report-problems.js';
import type { CommandRun } from '../../contributions/index.js';
import { ConfigError, type Kernel, type ProjectPaths } from '../../kernel/index.js';
import { CHECKED_PROJECT, TYPES } from '../../plugins/typegen/index.js';
import { generate } from '../files/generate.js';
import { openSources } from '../project.js';

/** Write `.fwk/types.d.ts` and print its path. `--client` also writes the types for a frontend, `--check` checks the project's types. */
export async function run({ flags, paths, open }: CommandRun): Promise<void> {
  const { client, check } = flags;
  const frontend = typeof client === 'string' ? await import('../build/client-types.js') : undefined;
  frontend?.checkClientFile(String(client));
  const kernel = await open({ purpose: 'build' }).catch((thrown: unknown) => withoutConfig(thrown, paths()));
  const written = await unoptimized(() => generate(kernel, paths(), 'types', { check }));
  const types = written.find(({ path }) => path === TYPES);
  console.log(types?.path ?? 'Nothing to generate: the plugin "typegen" is disabled in fwk.config.');
  if (types) await frontend?.writeClientTypes(paths().root, String(client));
  if (check !== true) return;
  await generate(kernel, paths(), CHECKS);
  await checkTypes(paths().root, written.find(({ path }) => path === CHECKED_PROJECT)?.path);
}

/** Editors and compilers need the types even if the config cannot be used. They lack the declarations of its plugins. */
function withoutConfig(thrown: unknown, paths: ProjectPaths): Promise<Kernel> {
  if (!(thrown instanceof ConfigError)) throw thrown;
  for (const line of [...thrown.problems.map(describeWithCode), ...readMore(thrown.problems)])
    console.error(line);
  console.error('The config cannot be used, so the types describe only the built-in plugins.');
  return openSources(paths, { ignoresConfig: true });
}

/** Disable V8's optimizing compilers while `work` runs: in a large project they take a quarter of the time, without a benefit. */
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
