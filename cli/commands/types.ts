import type { Flags } from '../command.js';
import { generate } from '../generate.js';
import { openSources, placeOf } from '../project.js';

/** Write `.fwk/types.d.ts` and print its path. */
export async function run(flags: Flags): Promise<void> {
  const place = placeOf(flags);
  const [types] = await generate(await openSources(place), place, 'types');
  console.log(types?.path ?? 'Nothing to generate: the plugin "typegen" is disabled in fwk.config.');
}
