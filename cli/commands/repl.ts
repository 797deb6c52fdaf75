import { text } from 'node:stream/consumers';
import type { CommandRun } from '../../kernel/internal.js';

/** Prompt for code with the `ctx` of the project; or run that of `--eval`, or of a stdin that is no terminal, and print its value. */
export async function run({ flags, paths: find }: CommandRun): Promise<void> {
  const paths = find();
  if (typeof flags.eval !== 'string' && process.stdin.isTTY)
    return (await import('../repl/prompt.js')).prompt(paths);
  const code = typeof flags.eval === 'string' ? flags.eval : await text(process.stdin);
  await (await import('../repl/script.js')).runScript(paths, code);
}
