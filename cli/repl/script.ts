import { inspect } from 'node:util';
import { embed } from '../../app/create-app.js';
import { explain, type ProjectPaths } from '../../kernel/internal.js';
import { openSources } from '../project.js';
import { onStderr } from '../terminal/color.js';
import { PAINT, terminalLogger } from '../terminal/logger.js';
import { evaluate } from './evaluator.js';
import { askBy, install } from './globals.js';
import { hintsOn } from './hints.js';

/**
 * Boot the sources, run `code` with their `ctx`, print its value and end what was started. stdout is for the value and what the code
 * itself prints: lines of the log go to stderr. The status is 1 where it throws.
 */
export async function runScript(paths: ProjectPaths, code: string): Promise<void> {
  if (code.trim() === '') return;
  const { app } = await embed(await openSources(paths, { logger: terminalLogger(paths.root, true) }));
  let scope: unknown;
  try {
    const value = await app.run((ctx) => {
      scope = ctx;
      install({ ctx: () => ctx, request: askBy(app.fetch) });
      return evaluate(code);
    });
    for (const hint of hintsOn(code, scope)) console.error(hint);
    if (value !== undefined) console.log(value);
  } catch (thrown) {
    console.error(
      thrown instanceof Error ? onStderr(() => explain(thrown, paths.root).describe(PAINT)) : inspect(thrown),
    );
    for (const hint of hintsOn(code, scope, thrown)) console.error(hint);
    process.exitCode = 1;
  } finally {
    await app.close();
  }
}
