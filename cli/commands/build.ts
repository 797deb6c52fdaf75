import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Flags } from '../command.js';
import { generate } from '../generate.js';
import { openSources, placeOf } from '../project.js';
import { tsc } from '../tsc.js';

/** Write the types, then compile. The compiler's errors are printed as they are. */
export async function run(flags: Flags): Promise<void> {
  const place = placeOf(flags);
  const [types] = await generate(await openSources(place), place, 'types');
  if (types) console.log(types.path);
  if (!existsSync(join(place.root, 'tsconfig.json'))) {
    console.log('There is no tsconfig.json: nothing to compile.');
    return;
  }
  process.exitCode = await tsc(place.root);
}
