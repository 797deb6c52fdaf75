import type { CommandRun } from '../../contributions/index.js';
import { generate } from '../files/generate.js';
import type { WriteResult } from '../files/write.js';
import { portOf } from '../flags.js';
import { listWritten } from '../terminal/report.js';

export async function run({ flags, paths, open }: CommandRun): Promise<void> {
  // Editors connect to this port, so a randomly chosen port would be useless.
  portOf(flags.port, 1);
  const kernel = await open();
  if (!kernel.plugins.has('skills'))
    return console.log('Nothing to generate: the plugin "skills" is disabled in fwk.config.');
  const written = await generate(kernel, paths(), 'skills', flags);
  for (const line of listWritten(written.map(withoutUserChanges))) console.log(line);
}

/** Guidance that is already up to date has no user changes, so --force would change nothing. */
const withoutUserChanges = (one: WriteResult): WriteResult =>
  one.isSame ? { ...one, outcome: 'unchanged' } : one;
