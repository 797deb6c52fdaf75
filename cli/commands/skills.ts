import { generate } from '../files/generate.js';
import { openSources, placeOf } from '../project.js';
import { listWritten } from '../terminal/report.js';
import type { Flags } from './index.js';

/** Write the guidance for AI editors, and print what was written and what was left alone. */
export async function run(flags: Flags): Promise<void> {
  const place = placeOf(flags);
  const kernel = await openSources(place);
  if (!kernel.plugins.has('skills'))
    return console.log('Nothing to generate: the plugin "skills" is disabled in fwk.config.');
  for (const line of listWritten(await generate(kernel, place, 'skills', flags))) console.log(line);
}
