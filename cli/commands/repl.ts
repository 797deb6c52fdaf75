import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { embed } from '../../app/create-app.js';
import type { CommandRun } from '../../contributions/index.js';
import type { ProjectPaths } from '../../kernel/index.js';
import { explain } from '../../loader/index.js';
import { openSources } from '../project.js';
import { askBy, evaluate, install } from '../repl/session.js';
import { PAINT, terminalLogger } from '../terminal/logger.js';
import { onStderr } from '../terminal/problems.js';

/** Prompt for code with the `ctx` of the project. With `--eval`, or if stdin is not a terminal, run that code and print its value. */
export async function run({ flags, paths: find }: CommandRun): Promise<void> {
  const paths = find();
  if (typeof flags.eval !== 'string' && process.stdin.isTTY)
    return (await import('../repl/prompt.js')).prompt(paths);
  const code = typeof flags.eval === 'string' ? flags.eval : await text(process.stdin);
  await runScript(paths, code);
}

/** Boot the sources, run `code` with their `ctx`, print its value and shut down. Log lines go to stderr. Exits with 1 if it throws. */
async function runScript(paths: ProjectPaths, code: string): Promise<void> {
  if (code.trim() === '') return;
  const { app } = await embed(await openSources(paths, { logger: terminalLogger(paths.root, true) }));
  try {
    const value = await app.run((ctx) => {
      install({ ctx: () => ctx, request: askBy(app.fetch) });
      return evaluate(code);
    });
    if (value !== undefined) console.log(value);
  } catch (thrown) {
    console.error(
      thrown instanceof Error ? onStderr(() => explain(thrown, paths.root).describe(PAINT)) : inspect(thrown),
    );
    process.exitCode = 1;
  } finally {
    await app.close();
  }
}
