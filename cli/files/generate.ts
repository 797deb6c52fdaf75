import { describeWithCode } from '../../app/report-problems.js';
import type { Flags, Lifecycle } from '../../contributions/index.js';
import { BootError, type Output, type ProjectPaths } from '../../kernel/index.js';
import { type WriteResult, write } from './write.js';

/** Warnings and write failures that a running server has already reported. A reload does not repeat them. */
const reported = new Set<string>();

export async function generate(
  kernel: Lifecycle,
  paths: ProjectPaths,
  target: string,
  flags: Flags = {},
  wanted: (output: Output) => boolean = () => true,
): Promise<WriteResult[]> {
  const { outputs, warnings } = await kernel.generate(target, flags);
  for (const warning of warnings) console.error(warning);
  return write(paths.root, outputs.filter(wanted), flags.force === true);
}

/** Generate the files of `target` while the project is served. A failure to write is reported on stderr once, until a write succeeds. */
export async function generateWhileServing(
  kernel: Lifecycle,
  paths: ProjectPaths,
  target: string,
): Promise<void> {
  const { outputs, warnings } = await kernel.generate(target, {});
  for (const warning of warnings) {
    if (!reported.has(warning)) console.error(warning);
    reported.add(warning);
  }
  for (const output of outputs) {
    const { path } = output;
    try {
      write(paths.root, [output]);
      reported.delete(path);
    } catch (thrown) {
      if (!(thrown instanceof BootError)) throw thrown;
      if (!reported.has(path))
        console.error(
          `${thrown.problems.map(describeWithCode).join('\n')} The project is served all the same.`,
        );
      reported.add(path);
    }
  }
}
