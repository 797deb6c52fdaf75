import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * Run the TypeScript compiler in `root`, its lines straight to the terminal. It is the project's own, or else the one
 * that came with this package; never one that npx would fetch. Resolves with its exit status.
 */
export async function tsc(root: string): Promise<number> {
  const compiler = findCompiler(join(root, 'package.json')) ?? findCompiler(import.meta.url);
  if (compiler === undefined)
    throw new Error('No TypeScript compiler is installed, not even with fwkit. Install it again.');
  const child = spawn(process.execPath, [compiler, '--project', root], { cwd: root, stdio: 'inherit' });
  const [status] = await once(child, 'exit');
  return typeof status === 'number' ? status : 1;
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
