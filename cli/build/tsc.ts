import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { BootError, isObject } from '../../kernel/index.js';
import { findBuildPackage, findPackage, packageManager, readPackage } from '../../loader/index.js';

export interface Compiled {
  readonly status: number;
  readonly files: readonly string[];
}

const WRITTEN = 'TSFILE: ';

/** yarn patches compilers before version 7 so that they can find packages. */
const WITHOUT_MODULES =
  'yarn has installed without node_modules (PnP), where TypeScript 7 finds no package. Set nodeLinker: node-modules in .yarnrc.yml.';

/**
 * Run the TypeScript compiler in `root` with `flags`, and print its output. `project`: path of the tsconfig
 * relative to `root`, if it is not `tsconfig.json`.
 */
export async function tsc(root: string, flags: readonly string[], project = '.'): Promise<Compiled> {
  // The output is not a terminal, so tsc would print without colors.
  const colours = process.stdout.isTTY && !('NO_COLOR' in process.env) ? ['--pretty'] : [];
  const args = [
    compilerFor(root),
    '--project',
    resolve(root, project),
    '--listEmittedFiles',
    ...colours,
    ...flags,
  ];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['inherit', 'pipe', 'inherit'] });
  const exit = once(child, 'close');
  const files: string[] = [];
  for await (const line of createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY }))
    if (line.startsWith(WRITTEN)) files.push(resolve(root, line.slice(WRITTEN.length)));
    else console.log(line);
  const [status] = await exit;
  if (status !== 0 && process.versions.pnp !== undefined) console.log(WITHOUT_MODULES);
  return { status: typeof status === 'number' ? status : 1, files };
}

export interface Compilation {
  /** The output directory; undefined if nothing is written, or files are written next to the sources. */
  readonly outDir: string | undefined;
  /** The `rootDir`, whose tree the output repeats, if it is set. */
  readonly rootDir: string | undefined;
  /** Whether `"noEmitOnError": false` lets the compiler write files that have errors. */
  readonly writesErrors: boolean;
  /** The file in which an incremental compiler records its output; undefined if it is not incremental. */
  readonly record: string | undefined;
  /** Absolute paths of the compiled files, without files that are only imported by them. */
  readonly sources: readonly string[];
}

/** How the project in `root` is compiled; undefined if its tsconfig is invalid. */
export async function compilation(root: string): Promise<Compilation | undefined> {
  const args = [compilerFor(root), '--project', root, '--showConfig'];
  const shown = await promisify(execFile)(process.execPath, args, {
    maxBuffer: Number.POSITIVE_INFINITY,
  }).catch(() => undefined);
  if (!shown) return undefined;
  const { compilerOptions = {}, files = [] } = JSON.parse(shown.stdout) as {
    compilerOptions?: CompilerOptions;
    files?: readonly string[];
  };
  const { outDir, rootDir, noEmit, noEmitOnError } = compilerOptions;
  const record = recordIn(compilerOptions);
  return {
    outDir: noEmit || !outDir ? undefined : resolve(root, outDir),
    rootDir: rootDir === undefined ? undefined : resolve(root, rootDir),
    writesErrors: noEmitOnError === false,
    record: record === undefined ? undefined : resolve(root, record),
    sources: files.map((file) => resolve(root, file)),
  };
}

interface CompilerOptions {
  readonly outDir?: string;
  readonly rootDir?: string;
  readonly noEmit?: boolean;
  readonly noEmitOnError?: boolean;
  readonly incremental?: boolean;
  readonly composite?: boolean;
  readonly tsBuildInfoFile?: string;
}

function recordIn({
  tsBuildInfoFile,
  outDir = '.',
  rootDir,
  ...options
}: CompilerOptions): string | undefined {
  if (!(options.incremental ?? options.composite)) return undefined;
  return tsBuildInfoFile ?? join(outDir, relative(rootDir ?? '.', '.'), 'tsconfig.tsbuildinfo');
}

/**
 * The project's own compiler, or else the compiler of @fwkit/build. It never uses a compiler that npx would
 * download.
 */
export function compilerFor(root: string): string {
  const own = findCompiler(join(root, 'package.json'));
  if (own !== undefined) return own;
  const compiler = findCompiler(findBuildPackage(root, 'TypeScript is compiled'));
  if (compiler !== undefined) return compiler;
  throw new BootError({
    message: `@fwkit/build is installed without its TypeScript. Remove node_modules and run ${packageManager(root).install}.`,
    code: 'FWK611',
  });
}

/** The `tsc` of the `typescript` package, as `from` resolves it. */
function findCompiler(from: string): string | undefined {
  const manifest = findPackage(from, 'typescript');
  const { bin } = (manifest && readPackage(dirname(manifest))) || {};
  return manifest && isObject(bin) ? join(dirname(manifest), String(bin.tsc)) : undefined;
}
