import { generate } from '../files/generate.js';
import { openSources, pathsOf } from '../project.js';
import type { Flags } from './index.js';

/** Write `.fwk/types.d.ts` and print its path. */
export async function run(flags: Flags): Promise<void> {
  const paths = pathsOf(flags);
  const [types] = await generate(await openSources(paths), paths, 'types');
  console.log(types?.path ?? 'Nothing to generate: the plugin "typegen" is disabled in fwk.config.');
}
