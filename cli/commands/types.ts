import type { CommandRun } from '../../kernel/internal.js';
import { checkClientFile, writeClientTypes } from '../client-types/index.js';
import { generate } from '../files/generate.js';

/** Write `.fwk/types.d.ts` and print its path; with `--client`, write the types for a frontend too. */
export async function run({ flags, paths, open }: CommandRun): Promise<void> {
  const { client } = flags;
  if (typeof client === 'string') checkClientFile(client);
  const [types] = await generate(await open(), paths(), 'types');
  console.log(types?.path ?? 'Nothing to generate: the plugin "typegen" is disabled in fwk.config.');
  if (types && typeof client === 'string') await writeClientTypes(paths().root, client);
}
