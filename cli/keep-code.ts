import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CODE_CACHE, codeSoFar, isCodeOfStart } from '../app/code-cache.js';
import { writeIfPossible } from './files/write.js';

/** The entry file of all commands, relative to the bundle. bundle/facade.js looks for the code next to it. */
export const ENTRY = fileURLToPath(new URL('../../cli/fwk.js', import.meta.url));
const FOLDER = dirname(ENTRY);

/** Milliseconds for which code of other Node versions or V8 flags is kept: alternating commands must not overwrite each other's code. */
const LEAST_AGE = 3_600_000;

let isDone = false;

/** Save the code that V8 compiled for the core, as Node's compile cache does from 22.8 on, before the command sets other V8 flags. */
export function keepCode(): void {
  if (isDone) return;
  isDone = true;
  if (process.env.NODE_DISABLE_COMPILE_CACHE || !isCodeOfStart() || !isWanted()) return;
  writeIfPossible(FOLDER, [{ path: CODE_CACHE, contents: codeSoFar(), ifExists: 'replace' }]);
}

/** Checked before the code is serialized, because the user who runs a command may not be allowed to write there. */
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
