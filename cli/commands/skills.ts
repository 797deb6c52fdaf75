import { generate } from '../files/generate.js';
import { openSources, pathsOf } from '../project.js';
import { listWritten } from '../terminal/report.js';
import type { Flags } from './index.js';

/** Write the guidance for AI editors, and print what was written and what was left alone. */
export async function run(flags: Flags): Promise<void> {
  const paths = pathsOf(flags);
  const kernel = await openSources(paths);
  if (!kernel.plugins.has('skills'))
    return console.log('Nothing to generate: the plugin "skills" is disabled in fwk.config.');
  for (const line of listWritten(await generate(kernel, paths, 'skills', flags))) console.log(line);
}
