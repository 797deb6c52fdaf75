import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CODE_CACHE, codeSoFar } from '../app/code-cache.js';
import { BootError } from '../kernel/internal.js';
import { write } from './files/write.js';

/** The entry file of all commands, seen from the bundle: beside it bundle/facade.js looks for the code. */
const ENTRY = fileURLToPath(new URL('../../cli/fwk.js', import.meta.url));

let isKept = false;

/**
 * Put down what V8 compiled of the core for the commands to come, as Node itself does from 22.8 on, unless it is told not to. Once: V8
 * takes it only where it runs with the flags that it runs with now, and a command may set some.
 */
export function keepCode(): void {
  if (isKept) return;
  isKept = true;
  const [, entry = ''] = process.argv;
  if (process.env.NODE_DISABLE_COMPILE_CACHE || realpathSync(entry) !== ENTRY) return;
  try {
    write(dirname(ENTRY), [{ path: CODE_CACHE, contents: codeSoFar(), ifExists: 'replace' }]);
  } catch (thrown) {
    // Whoever runs a command need not own the package.
    if (!(thrown instanceof BootError)) throw thrown;
  }
}
