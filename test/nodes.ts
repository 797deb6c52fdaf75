import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { nodes } from './harness/nodes.js';

// `node dist/test/nodes.js [filter…]` runs test files with every supported version of Node except the current one.

const runner = fileURLToPath(new URL('run.js', import.meta.url));
for (const [name, program] of nodes()) {
  if (program === process.execPath) continue;
  console.log(`\n${name}`);
  const { status } = spawnSync(program, [runner, ...process.argv.slice(2)], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
