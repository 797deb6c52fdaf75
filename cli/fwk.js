#!/usr/bin/env node
// Plain JavaScript, because it runs before anything is built, and enables Node's compile cache (22.8 and later) before other modules.
import module from 'node:module';

module.enableCompileCache?.();
const { main } = await import('../dist/bundle/cli.js');
await main(process.argv);
// Resources that a project left open must not keep a finished command alive. The callback runs when stdout has been written.
process.stdout.write('', () => process.exit());
