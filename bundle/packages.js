// Compiles the packages beside fwkit, each in packages/<name>. They know it by its public types alone, so those of dist/
// have to be there. What they publish is what tsc writes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const tsc = 'node_modules/typescript/bin/tsc';
const folders = readdirSync('packages', { withFileTypes: true }).filter((one) => one.isDirectory());
await Promise.all(
  folders.map(async ({ name }) => {
    // Of sources that are gone, nothing may be published.
    rmSync(join('packages', name, 'dist'), { recursive: true, force: true });
    const [status] = await once(
      spawn(process.execPath, [tsc, '-p', join('packages', name)], { stdio: 'inherit' }),
      'close',
    );
    if (status !== 0) process.exitCode = 1;
  }),
);
