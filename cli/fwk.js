#!/usr/bin/env node
// Plain JavaScript, so that it is executable before anything is built, and can ask for Node's compile cache (Node 22.8
// and newer) before the first module of ours is compiled.
import module from 'node:module';

module.enableCompileCache?.();
const { main } = await import('../dist/bundle/cli.js');
await main(process.argv);
// Resources that a project left open must not keep a finished command alive. The callback comes when stdout has been written.
process.stdout.write('', () => process.exit());
