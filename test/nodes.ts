import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { nodes } from './harness/nodes.js';

// `node dist/test/nodes.js [filter…]`: runs test files by every promised version of Node but the one that runs this.

const runner = fileURLToPath(new URL('run.js', import.meta.url));
for (const [name, program] of nodes()) {
  if (program === process.execPath) continue;
  console.log(`\n${name}`);
  const { status } = spawnSync(program, [runner, ...process.argv.slice(2)], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
