import { generate } from '../files/generate.js';
import { newPaths, openSources } from '../project.js';
import { listWritten } from '../terminal/report.js';
import type { Flags } from './index.js';
import { nextSteps } from './next-steps.js';

/** Create a project that runs, or complete one; print what was written, what was left alone and what comes next. */
export async function run(flags: Flags): Promise<void> {
  const paths = newPaths(flags);
  const kernel = await openSources(paths);
  if (!kernel.plugins.has('scaffold'))
    return console.log('Nothing to generate: the plugin "scaffold" is disabled in fwk.config.');
  const written = await generate(kernel, paths, 'scaffold', flags);
  for (const line of listWritten(written)) console.log(line);
  // So that it compiles as it is. Files of the user's have just been dealt with.
  if (paths.language === 'ts')
    await generate(kernel, paths, 'types', {}, ({ ifExists }) => ifExists === 'replace');
  console.log(`\n${nextSteps(paths, String(flags.dir))}`);
}
