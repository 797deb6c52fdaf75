import { basename, dirname } from 'node:path';
import { bootstrap } from '../../app/bootstrap.js';
import { codeSoFar } from '../../app/code-cache.js';
import { messageOf } from '../../kernel/index.js';
import { write } from '../files/write.js';

/** Start the app in a directory as production does, send it one request, and save the code that V8 compiled for the core. */
const [dir = '', url = '/', file = ''] = process.argv.slice(2);
try {
  const [address] = await bootstrap({ dir, host: '127.0.0.1', port: 0 });
  const response = await fetch(new URL(url, address));
  if (!response.ok) throw new Error(`${url} is answered with ${response.status}`);
  const code = codeSoFar();
  write(dirname(file), [{ path: basename(file), contents: code, ifExists: 'replace' }]);
} catch (thrown) {
  // Read by the build.
  console.error(messageOf(thrown));
  process.exitCode = 1;
}
process.exit();
