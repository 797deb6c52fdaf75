import type { CommandRun } from '../../contributions/index.js';
import { BootError } from '../../kernel/index.js';
import { generate } from '../files/generate.js';
import { listWritten } from '../terminal/report.js';

export async function run({ flags, operands: [target = ''], paths, open }: CommandRun): Promise<void> {
  const written = await generate(await open(), paths(), target, flags);
  if (written.length === 0)
    throw new BootError({
      message: `Nothing to generate: no plugin of this project emits a file for "${target}".`,
      code: 'FWK609',
    });
  for (const line of listWritten(written)) console.log(line);
}
