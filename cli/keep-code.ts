import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CODE_CACHE, codeSoFar, isCodeOfStart } from '../app/code-cache.js';
import { writeIfPossible } from './files/write.js';

/** The entry file of all commands, seen from the bundle: beside it bundle/facade.js looks for the code. */
const ENTRY = fileURLToPath(new URL('../../cli/fwk.js', import.meta.url));
const FOLDER = dirname(ENTRY);

/**
 * How long code is left that this process could not use, in milliseconds: commands that run in turns on other versions of Node, or with
 * other flags of V8, would put down code for each other without end, which takes longer than to compile it.
 */
const LEAST_AGE = 3_600_000;

let isDone = false;

/**
 * Put down what V8 compiled of the core for the commands to come, as Node itself does from 22.8 on, unless it is told not to. Once: V8
 * takes it only where it runs with the flags that it runs with now, and a command may set some.
 */
export function keepCode(): void {
  if (isDone) return;
  isDone = true;
  if (process.env.NODE_DISABLE_COMPILE_CACHE || !isCodeOfStart() || !isWanted()) return;
  writeIfPossible(FOLDER, [{ path: CODE_CACHE, contents: codeSoFar(), ifExists: 'replace' }]);
}

/** Asked before the code is made, for those who cannot write there: whoever runs a command need not own the package. */
function isWanted(): boolean {
  const [, entry = ''] = process.argv;
  try {
    accessSync(FOLDER, constants.W_OK);
    if (realpathSync(entry) !== ENTRY) return false;
    const known = statSync(join(FOLDER, CODE_CACHE), { throwIfNoEntry: false });
    return known === undefined || Math.abs(Date.now() - known.mtimeMs) > LEAST_AGE;
  } catch {
    return false;
  }
}
