// Compiles the packages beside fwkit, each in packages/<name>. They only use its public types, so dist/ must contain these.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const folders = readdirSync('packages', { withFileTypes: true })
  .filter((one) => one.isDirectory())
  .map(({ name }) => join('packages', name));
// The output of deleted sources must not be published.
for (const folder of folders) rmSync(join(folder, 'dist'), { recursive: true, force: true });
// In one process, because every package uses the types of fwkit.
const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '--build', ...folders], {
  stdio: 'inherit',
});
// The build records of tsc must not be published either.
for (const folder of folders) rmSync(join(folder, 'dist/tsconfig.tsbuildinfo'), { force: true });
process.exitCode = status ?? 1;
