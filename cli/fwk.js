#!/usr/bin/env node
// Plain JavaScript, so that it runs before anything is built, and can enable Node's compile cache (Node 22.8
// and later) before the first module of fwk is compiled.
import module from 'node:module';

module.enableCompileCache?.();
const { main } = await import('../dist/bundle/cli.js');
await main(process.argv);
// Resources that a project left open must not keep a finished command alive. The callback runs when stdout
// has been written.
process.stdout.write('', () => process.exit());
