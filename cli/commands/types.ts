import type { CommandRun } from '../../kernel/internal.js';
import { generate } from '../files/generate.js';

/** Write `.fwk/types.d.ts` and print its path. */
export async function run({ paths, open }: CommandRun): Promise<void> {
  const [types] = await generate(await open(), paths(), 'types');
  console.log(types?.path ?? 'Nothing to generate: the plugin "typegen" is disabled in fwk.config.');
}
