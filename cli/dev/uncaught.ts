import { logSafely } from '../../kernel/index.js';
import type { Project } from '../../kernel/internal.js';

/** Who else hears of it: what was thrown, and what it is for people. */
type Heard = (thrown: unknown, what: string) => void;

/**
 * From now on, an error that nothing catches, or a rejection that nothing handles, is told, and `fwk dev` goes on: the next save may mend
 * it. In production it ends the process (`app/crash.ts`). Listeners of the project's own run, too. `serving`: the project that does.
 */
export function outliveErrors(serving: () => Project | undefined, heard: Heard): void {
  process.on('uncaughtException', (thrown, origin) => {
    const [what, said] =
      origin === 'unhandledRejection'
        ? ['unhandled rejection', 'A rejection was not handled']
        : ['uncaught error', 'An error was not caught'];
    const project = serving();
    if (project) logSafely(project.logger, 'error', `${said}, which ends the process in production`, thrown);
    else console.error(`${said}, which ends the process in production:`, thrown);
    heard(thrown, what);
  });
  // What is told of a terminal that is gone would be the next error.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(1));
}
