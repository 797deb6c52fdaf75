import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Flags } from '../command.js';
import { recordCompiled } from '../compiled.js';
import { generate } from '../generate.js';
import { openSources, placeOf } from '../project.js';
import { outDir, tsc } from '../tsc.js';

/** Write the types, compile, and check what was compiled. The compiler's errors are printed as they are. */
export async function run(flags: Flags): Promise<void> {
  process.env.NODE_ENV ??= 'production';
  const place = placeOf(flags);
  const [types] = await generate(await openSources(place), place, 'types');
  if (types) console.log(types.path);
  if (!existsSync(join(place.root, 'tsconfig.json'))) {
    console.log('There is no tsconfig.json: nothing to compile.');
    return;
  }
  process.exitCode = await tsc(place.root);
  if (process.exitCode !== 0) return;
  const output = await outDir(place.root);
  if (output === undefined || !existsSync(output)) return;
  for (const { path } of await recordCompiled(place, output)) console.log(path);
}
