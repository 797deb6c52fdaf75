import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { CommandRun } from '../../contributions/index.js';
import { type ProjectPaths, toPosix } from '../../kernel/index.js';
import { Build } from '../build/build-record.js';
import { compilation, tsc } from '../build/tsc.js';
import { filesBelow } from '../doctor/subject.js';
import { write } from '../files/write.js';
import { build } from './build.js';

/** The entry file of all commands, relative to the bundle. */
const ENTRY = fileURLToPath(new URL('../../cli/fwk.js', import.meta.url));

/** Build, then run the compiled tests, or those whose path contains one of the words; without a tsconfig.json, run the sources. */
export async function run(command: CommandRun): Promise<void> {
  // A build sets NODE_ENV, and loads the `.env` files for production.
  const env = { ...process.env };
  const { root } = command.paths();
  const words = command.operands;
  const { changed } = command.flags;
  const since = typeof changed === 'string' ? changed || 'HEAD' : undefined;
  const compiled =
    words.length > 0 && since === undefined ? await compileTests(command.paths(), words) : undefined;
  const directory = compiled ? root : ((await build(command)) ?? root);
  if (process.exitCode) return;
  const found = compiled ?? [...filesBelow(directory, [])].filter((file) => /\.test\.[cm]?js$/.test(file));
  const all = found.map((file) => toPosix(relative(root, file))).sort();
  const named = words.length === 0 ? all : all.filter((file) => hasAny(file, words));
  if (named.length === 0) {
    console.error(
      all.length === 0
        ? 'There are no tests: no source has a name such as books.test.ts or books.test.js.'
        : `No test has ${words.map((word) => `"${word}"`).join(' or ')} in its path. There are ${all.join(', ')}.`,
    );
    process.exitCode = 1;
    return;
  }
  const tests = since === undefined ? named : await reached(named, since, directory);
  if (tests.length === 0) return;
  const names = tests.map(literal);
  const child = spawn(process.execPath, ['--test', ...names], { cwd: root, env, stdio: 'inherit' });
  // The tests end with the process that started them.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  const [status] = (await once(child, 'close')) as [number | null];
  process.exitCode = status ?? 1;

  /** The files of `all` that `fwk impact` lists, which comes with a package. Prints the others. */
  async function reached(all: readonly string[], since: string, directory: string): Promise<string[]> {
    const { source } = command.paths();
    const args = [ENTRY, 'impact', '--tests', '--since', since, '--dir', root];
    const impact = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [out, [status]] = await Promise.all([text(impact.stdout), once(impact, 'close')]);
    if (status !== 0) {
      process.exitCode = 1;
      return [];
    }
    const compiled = (file: string): string =>
      directory === root
        ? file
        : toPosix(relative(root, join(directory, relative(source, join(root, file))))).replace(/ts$/, 'js');
    const listed = new Set(out.split('\n').filter(Boolean).map(compiled));
    const skipped = all.filter((file) => !listed.has(file));
    const count = `${all.length - skipped.length} of ${all.length} test files reach the changes since ${since}.`;
    console.log(skipped.length === 0 ? count : `${count} Skipped: ${skipped.join(', ')}`);
    return all.filter((file) => listed.has(file));
  }
}

const TEST = /\.test\.[cm]?[jt]sx?$/;

const hasAny = (path: string, words: readonly string[]): boolean => words.some((word) => path.includes(word));

/** Compile the tests for `words` and their imports without type checks, in less time. Returns all tests; undefined without tsconfig. */
async function compileTests(
  paths: ProjectPaths,
  words: readonly string[],
): Promise<readonly string[] | undefined> {
  const { root } = paths;
  if (!existsSync(join(root, 'tsconfig.json'))) return undefined;
  const settings = await compilation(paths);
  if (!settings) return undefined;
  const { outDir, rootDir, flags, sources } = settings;
  const compiled = (source: string): string =>
    join(outDir, relative(rootDir, source)).replace(/\.([cm]?)[jt]sx?$/, '.$1js');
  const tests = sources.filter((source) => TEST.test(source) && !relative(rootDir, source).startsWith('..'));
  const files = tests.filter((source) => hasAny(toPosix(relative(root, compiled(source))), words));
  if (files.length > 0) {
    const project = '.fwk/tsconfig.test.json';
    const config = {
      extends: '../tsconfig.json',
      compilerOptions: {
        noCheck: true,
        noEmitOnError: true,
        incremental: false,
        composite: false,
        tsBuildInfoFile: null,
      },
      include: [],
      files,
    };
    write(root, [{ path: project, contents: `${JSON.stringify(config)}\n`, ifExists: 'replace' }]);
    const { status, files: written } = await tsc(root, flags, project);
    new Build(root, outDir).wrote(written, [rootDir]);
    process.exitCode = status;
  }
  return tests.map(compiled);
}

/** The first Node version that reads the test arguments as patterns. */
const NODE_WITH_PATTERNS = 21;

/** A path as `node --test` accepts it: later versions read `[id].test.js` as a pattern that matches other files. */
const literal = (path: string): string =>
  Number.parseInt(process.versions.node, 10) < NODE_WITH_PATTERNS ? path : path.replace(/[[{(*?]/g, '[$&]');
