import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { BootError, isObject, type ProjectPaths, toPosix } from '../../kernel/index.js';
import { findBuildPackage, findPackage, packageManager, readPackage } from '../../loader/index.js';

export interface Compiled {
  readonly status: number;
  readonly files: readonly string[];
}

const WRITTEN = 'TSFILE: ';

/** yarn patches compilers before version 7 so that they can find packages. */
const WITHOUT_MODULES =
  'yarn has installed without node_modules (PnP), where TypeScript 7 finds no package. Set nodeLinker: node-modules in .yarnrc.yml.';

/** Run the TypeScript compiler in `root`, and print its output. `project`: path of another tsconfig, relative to `root`. */
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
  /** The output directory: `dist` if the tsconfig sets none. */
  readonly outDir: string;
  /** The directory whose tree the output repeats. */
  readonly rootDir: string;
  /** Flags that override settings with which the compiler would write no JavaScript, or write it elsewhere. */
  readonly flags: readonly string[];
  /** Whether `"noEmitOnError": false` lets the compiler write files that have errors. */
  readonly writesErrors: boolean;
  /** The file in which an incremental compiler records its output; undefined if it is not incremental. */
  readonly record: string | undefined;
  readonly sources: readonly string[];
  /** The patterns in `paths`. The compiler does not change such imports. */
  readonly aliases: readonly string[];
}

/** How the project is compiled; undefined if its tsconfig is invalid. Throws a BootError if the output could not be served. */
export async function compilation({ root, source }: ProjectPaths): Promise<Compilation | undefined> {
  const args = [compilerFor(root), '--project', root, '--showConfig'];
  const shown = await promisify(execFile)(process.execPath, args, {
    maxBuffer: Number.POSITIVE_INFINITY,
  }).catch(() => undefined);
  if (!shown) return undefined;
  const { compilerOptions = {}, files = [] } = JSON.parse(shown.stdout) as {
    compilerOptions?: CompilerOptions;
    files?: readonly string[];
  };
  const outDir = resolve(root, compilerOptions.outDir ?? OUT_DIR);
  const sources = files.map((file) => resolve(root, file));
  const rootDir = resolve(root, compilerOptions.rootDir ?? '.');
  const isBelowRootDir = source !== rootDir && source.startsWith(rootDir + sep);
  if (isBelowRootDir) rejectFilesOutside(sources, { root, source });
  if (outDir === source)
    throw unservable(`writes compiled files next to the sources. Set "outDir" to "${OUT_DIR}".`);
  const base = isBelowRootDir ? source : rootDir;
  const record = recordIn(compilerOptions, { root, outDir, rootDir: base });
  return {
    outDir,
    rootDir: base,
    flags: [
      ...(compilerOptions.noEmit ? ['--noEmit', 'false'] : []),
      ...(compilerOptions.emitDeclarationOnly ? ['--emitDeclarationOnly', 'false'] : []),
      ...(compilerOptions.allowImportingTsExtensions ? ['--rewriteRelativeImportExtensions'] : []),
      ...(compilerOptions.outDir === undefined ? ['--outDir', outDir] : []),
      ...(isBelowRootDir || compilerOptions.rootDir === undefined ? ['--rootDir', base] : []),
    ],
    writesErrors: compilerOptions.noEmitOnError === false,
    record,
    sources,
    aliases: Object.keys(compilerOptions.paths ?? {}),
  };
}

const OUT_DIR = 'dist';

/** The output repeats the tree below the common directory of all files: `dist/src/main.js` if one is outside `src/`. */
function rejectFilesOutside(sources: readonly string[], { root, source }: ProjectPaths): void {
  const outside = sources.find((file) => !file.startsWith(source + sep) && !/\.d\.[cm]?ts$/.test(file));
  if (outside === undefined) return;
  const [shown = '', directory = ''] = [outside, source].map((path) => toPosix(relative(root, path)));
  throw unservable(
    `includes ${shown}, which is outside ${directory}/, so the app would be compiled to ${OUT_DIR}/${directory}/. Set "rootDir" to "${directory}", and "include" to ["${directory}", ".fwk/**/*"].`,
  );
}

const unservable = (message: string): BootError =>
  new BootError({ file: 'tsconfig.json', message, code: 'FWK624' });

interface CompilerOptions {
  readonly outDir?: string;
  readonly rootDir?: string;
  readonly paths?: Readonly<Record<string, readonly string[]>>;
  readonly noEmit?: boolean;
  readonly emitDeclarationOnly?: boolean;
  readonly allowImportingTsExtensions?: boolean;
  readonly noEmitOnError?: boolean;
  readonly incremental?: boolean;
  readonly composite?: boolean;
  readonly tsBuildInfoFile?: string;
}

function recordIn(
  { tsBuildInfoFile, incremental, composite }: CompilerOptions,
  { root, outDir, rootDir }: { readonly root: string; readonly outDir: string; readonly rootDir: string },
): string | undefined {
  if (!(incremental ?? composite)) return undefined;
  return resolve(root, tsBuildInfoFile ?? join(outDir, relative(rootDir, root), 'tsconfig.tsbuildinfo'));
}

/** The project's own compiler, or else the compiler of @fwkit/build. It never uses a compiler that npx would download. */
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

function findCompiler(from: string): string | undefined {
  const manifest = findPackage(from, 'typescript');
  const { bin } = (manifest && readPackage(dirname(manifest))) || {};
  return manifest && isObject(bin) ? join(dirname(manifest), String(bin.tsc)) : undefined;
}
