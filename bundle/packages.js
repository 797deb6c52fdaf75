// Compiles the packages beside fwkit, each in packages/<name>. They know it by its public types alone, so those of dist/
// have to be there. What they publish is what tsc writes.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const folders = readdirSync('packages', { withFileTypes: true })
  .filter((one) => one.isDirectory())
  .map(({ name }) => join('packages', name));
// The output of sources that are gone must not be published.
for (const folder of folders) rmSync(join(folder, 'dist'), { recursive: true, force: true });
// In one process, since every package has the types of fwkit.
const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '--build', ...folders], {
  stdio: 'inherit',
});
// The build records of tsc must not be published either.
for (const folder of folders) rmSync(join(folder, 'dist/tsconfig.tsbuildinfo'), { force: true });
process.exitCode = status ?? 1;
