import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { BootError } from '../kernel/host.js';

/** Run the TypeScript compiler in `root`, its lines straight to the terminal. Resolves with its exit status. */
export async function tsc(root: string): Promise<number> {
  const child = spawn(process.execPath, [compilerFor(root), '--project', root], {
    cwd: root,
    stdio: 'inherit',
  });
  const [status] = await once(child, 'exit');
  return typeof status === 'number' ? status : 1;
}

/** Where the project in `root` is compiled to; undefined where it is not, or beside its sources. */
export async function outDir(root: string): Promise<string | undefined> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    compilerFor(root),
    '--project',
    root,
    '--showConfig',
  ]);
  const { compilerOptions } = JSON.parse(stdout) as {
    compilerOptions: { outDir?: string; noEmit?: boolean };
  };
  return compilerOptions.noEmit || !compilerOptions.outDir
    ? undefined
    : resolve(root, compilerOptions.outDir);
}

/** The project's own compiler, or else the one that came with this package; never one that npx would fetch. */
function compilerFor(root: string): string {
  const compiler = findCompiler(join(root, 'package.json')) ?? findCompiler(import.meta.url);
  if (compiler !== undefined) return compiler;
  throw new BootError({
    message: 'No TypeScript compiler is installed, not even with fwkit. Install fwkit again.',
  });
}

/** The `tsc` of the `typescript` package as `from` would resolve it. */
function findCompiler(from: string): string | undefined {
  try {
    const manifest = createRequire(from).resolve('typescript/package.json');
    const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: { tsc: string } };
    return join(dirname(manifest), bin.tsc);
  } catch {
    return undefined;
  }
}
