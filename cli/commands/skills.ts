import type { CommandRun } from '../../kernel/internal.js';
import { generate } from '../files/generate.js';
import { listWritten } from '../terminal/report.js';

/** Write the guidance for AI editors, and print what was written and what was left alone. */
export async function run({ flags, paths, open }: CommandRun): Promise<void> {
  const kernel = await open();
  if (!kernel.plugins.has('skills'))
    return console.log('Nothing to generate: the plugin "skills" is disabled in fwk.config.');
  for (const line of listWritten(await generate(kernel, paths(), 'skills', flags))) console.log(line);
}
