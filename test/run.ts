import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { LONG_FILES } from './long-files.js';

// `node dist/test/run.js [--long] [word…]` packs and installs the built tree once. Without arguments, it runs all test
// files except for the long ones, and only a sample of the cases of some files. With `--long`, it runs the long files,
// and all cases of the sampled files. With words, it runs all cases of the files whose path contains one of the words.

const repo = fileURLToPath(new URL('../../', import.meta.url));
const tests = path.join(repo, 'dist/test');
// More than twice the cores of a small machine: files wait more than they compute.
const atOnce = 5;
// The slowest files come first, so that the run does not end with a single long file.
const longest = [
  'docs-examples',
  'e2e/http/validation-types',
  'e2e/dev/inspector-page',
  'e2e/build/rebuild',
].map((name) => `${name}.test.js`);
// Matches files that run only a sample of their cases in `npm test`.
const SAMPLING = /\/harness\/(?:sample|served)\.js|\blayouts\b|\bnodes\(\)/;
/** Matches files that need a process of their own: they measure it, or change it for the files after them. */
const ALONE = /\bmeasured\(|process\.(?:on|once|exit|memoryUsage)\b|\bgc\(|^Error\.|^globalThis\./m;
/**
 * The maximum number of files that one process runs. Files of the long run take so long that each has its own process.
 */
const FILES_PER_PROCESS = 12;
// uvu has no timeouts: a file that hangs would hang the run.
const FILE_TIMEOUT_MS = 240_000;
/** The limit in a long run, whose files install packages and try every case. */
const LONG_FILE_TIMEOUT_MS = 600_000;
/** How much longer a process may take for each further file. */
const FURTHER_FILE_TIMEOUT_MS = 30_000;
// Milliseconds for a stopped file to end its children before it is killed.
const grace = 5_000;

// The compiler is written in Go and ends before its garbage matters: collecting it costs a fourth of each build.
const compilerMemory = { GOGC: 'off', GOMEMLIMIT: '1GiB' };

interface Result {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  /** Seconds that its processes computed. */
  readonly computed: number;
  readonly why?: string;
  readonly output: string;
}

const running = new Set<ChildProcess>();
const installed = await realpath(await mkdtemp(path.join(tmpdir(), 'fwk-test-')));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop());

let results: Result[] = [];
const [isLongRun, filters] =
  process.argv[2] === '--long' ? [true, process.argv.slice(3)] : [false, process.argv.slice(2)];
const fileTimeout = isLongRun ? LONG_FILE_TIMEOUT_MS : FILE_TIMEOUT_MS;
const isSample = !isLongRun && filters.length === 0;
const sample = isSample ? { FWK_SAMPLE: '1' } : {};
const secondRuns: string[] = [];
try {
  removeStale();
  const files = await testFiles();
  await install();
  results = await runAll(files);
} finally {
  await remove();
}
report();

/** Removes the output of sources that are gone: tsc leaves it, and a module that imports it would work here and nowhere else. */
function removeStale(): void {
  for (const file of readdirSync(path.join(repo, 'dist'), { recursive: true, encoding: 'utf8' })) {
    if (file.startsWith(`bundle${path.sep}`) || !/\.(?:js|d\.ts)$/.test(file)) continue;
    const source = path.join(repo, file.replace(/\.(?:js|d\.ts)$/, '.ts'));
    if (!existsSync(source)) rmSync(path.join(repo, 'dist', file));
  }
}

async function testFiles(): Promise<string[]> {
  const all = await readdir(tests, { recursive: true });
  const gone = LONG_FILES.filter((name) => !all.some((file) => file.startsWith(name)));
  if (gone.length > 0)
    throw new Error(`test/long-files.ts names files that do not exist: ${gone.join(', ')}`);
  const files = all
    .filter((file) => file.endsWith('.test.js'))
    .filter((file) => isAsked(file))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  if (files.length === 0)
    throw new Error(`No test file matches ${filters.join(', ') || 'test/**/*.test.ts'}.`);
  return files;
}

function isAsked(file: string): boolean {
  if (filters.length > 0 && !filters.some((filter) => file.includes(filter))) return false;
  const isLong = LONG_FILES.some((name) => file.startsWith(name));
  if (isLongRun) return isLong || SAMPLING.test(readFileSync(path.join(tests, file), 'utf8'));
  return filters.length > 0 || !isLong;
}

function rank(file: string): number {
  const at = longest.indexOf(file);
  return at === -1 ? longest.length : at;
}

/** Installs fwkit, and the packages beside it, as their users get them. */
async function install(): Promise<void> {
  const staged = path.join(installed, 'staged');
  await finish(process.execPath, ['bundle/stage.js', staged], repo);
  const folders = (await readdir(staged)).map((name) => path.join(staged, name));
  await finish('npm', ['pack', ...folders, '--silent', '--pack-destination', installed], repo);
  await rm(staged, { recursive: true });
  const tarballs = (await readdir(installed)).filter((name) => name.endsWith('.tgz'));
  if (tarballs.length !== folders.length)
    throw new Error(`npm pack made ${tarballs.join(', ') || 'nothing'}.`);
  const version = JSON.parse(
    await readFile(path.join(repo, 'node_modules/@types/node/package.json'), 'utf8'),
  );
  await writeFile(path.join(installed, 'package.json'), '{ "private": true, "type": "module" }\n');
  const packages = [...tarballs.map((name) => `./${name}`), `@types/node@${version.version}`];
  await finish('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...packages], installed);
  if (isSample) await keepCodeCache();
}

/**
 * Each `fwk build` starts an app to make a code cache, which is the same for all projects. In a sample, only the first
 * build makes it. The long run tests the cache itself.
 */
async function keepCodeCache(): Promise<void> {
  const bundle = path.join(installed, 'node_modules/fwkit/dist/bundle');
  await rename(path.join(bundle, 'rehearsal.js'), path.join(bundle, 'rehearsal-of-fwkit.js'));
  const text = `import { copyFileSync, existsSync, renameSync } from 'node:fs';
const file = process.argv[4];
const kept = new URL('code-' + process.version, import.meta.url).pathname;
process.on('exit', (code) => {
  if (code !== 0 || existsSync(kept)) return;
  copyFileSync(file, kept + process.pid);
  renameSync(kept + process.pid, kept);
});
if (existsSync(kept)) copyFileSync(kept, file);
else await import('./rehearsal-of-fwkit.js');
`;
  await writeFile(path.join(bundle, 'rehearsal.js'), text);
}

async function finish(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { code, output } = await run(command, args, cwd, FILE_TIMEOUT_MS);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output}`);
}

async function runAll(files: readonly string[]): Promise<Result[]> {
  const queue = groupsOf(files);
  const done: Result[] = [];
  const worker = async () => {
    for (let group = queue.shift(); group !== undefined; group = queue.shift()) {
      const results = await runFiles(group);
      done.push(...results);
      for (const result of results) tell(result);
      // A file that ends its process leaves the files after it for another one.
      const left = group.slice(results.length);
      if (left.length > 0) queue.push(left);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  // A file that failed next to others on a small machine runs again alone, and must pass.
  for (const [index, { file, why }] of done.entries()) {
    if (why === undefined) continue;
    console.log(`${file} failed beside others, and is run once more, alone:`);
    secondRuns.push(file);
    const [result] = await runFiles([file]);
    if (!result) continue;
    done[index] = result;
    tell(result);
  }
  return done;
}

/**
 * The files that each process runs. Starting Node and importing the harness takes longer than most files do, so files share a process.
 * Files with a process of their own come last, so that all processes end at about the same time.
 */
function groupsOf(files: readonly string[]): string[][] {
  const isAlone = (file: string) => ALONE.test(readFileSync(path.join(tests, file), 'utf8'));
  const first = files.filter((file) => longest.includes(file));
  const others = files.filter((file) => !first.includes(file));
  const shared = others.filter((file) => !isAlone(file));
  const groups = first.map((file) => [file]);
  while (shared.length > 0) groups.push(shared.splice(0, isLongRun ? 1 : FILES_PER_PROCESS));
  return [...groups, ...others.filter(isAlone).map((file) => [file])];
}

/** Runs files one after another in one process. Returns the results of the files that started. */
async function runFiles(files: readonly string[]): Promise<Result[]> {
  const args = ['run-file.js', ...files].map((name) => path.join(tests, name));
  const limit = fileTimeout + (files.length - 1) * FURTHER_FILE_TIMEOUT_MS;
  const { code, timedOut, output } = await run(process.execPath, args, repo, limit);
  const [before = '', ...parts] = output.split(/^Begins: .*\n/m);
  if (parts.length === 0) parts.push(before);
  const hanging = /^Still running: (.*)$/m.exec(output)?.[1];
  const late = `took more than ${limit / 1000} s${hanging ? `, in ${hanging}` : ''}`;
  const ended = timedOut ? late : code === 0 ? undefined : `ended with ${code}`;
  // A failure at the end of the process may belong to any of its files.
  const isOfAll = /^Ends: 0$/m.test(parts.at(-1) ?? '');
  return parts.map((part, index) =>
    resultOf(files[index] ?? '', part, isOfAll || index === parts.length - 1 ? ended : undefined),
  );
}

/** `ended`: how the process of the file failed. */
function resultOf(file: string, output: string, ended: string | undefined): Result {
  const number = (label: string) => Number(new RegExp(`^ *${label}: +([\\d.]+)`, 'm').exec(output)?.[1] ?? 0);
  const [total, passed, skipped] = [number('Total'), number('Passed'), number('Skipped')];
  const why =
    ended ??
    (total + skipped === 0
      ? 'ran no test: is .run() missing?'
      : // uvu ends with 0 when a before hook throws, so the numbers count as much as the status.
        !/^Ends: 0$/m.test(output) || passed < total
        ? `ended with ${number('Ends')}`
        : undefined);
  const failed = Math.max(total - passed, why ? 1 : 0);
  const [seconds, computed] = [number('Took'), number('Computed')];
  return { file, passed, failed, skipped, seconds, computed, output, ...(why ? { why } : {}) };
}

function run(command: string, args: readonly string[], cwd: string, limit: number) {
  return new Promise<{ code: number | string | null; timedOut: boolean; output: string }>(
    (resolve, reject) => {
      const env = { ...process.env, ...compilerMemory, ...sample, FWK_INSTALLED: installed, NO_COLOR: '1' };
      const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
      running.add(child);
      let output = '';
      let timedOut = false;
      child.stdout.on('data', (chunk) => {
        output += chunk;
        // Each file of a process has the whole time limit.
        if (String(chunk).includes('Begins: ')) timer.refresh();
      });
      child.stderr.on('data', (chunk) => (output += chunk));
      const timer = setTimeout(() => {
        timedOut = true;
        child.kill('SIGTERM');
        setTimeout(() => child.kill('SIGKILL'), grace).unref();
      }, limit);
      child.on('error', reject);
      child.on('close', (code, signal) => {
        clearTimeout(timer);
        running.delete(child);
        resolve({ code: code ?? signal, timedOut, output: stripVTControlCharacters(output) });
      });
    },
  );
}

function tell({ file, passed, failed, skipped, seconds, computed, why, output }: Result): void {
  const name = `test/${file.replace(/\.js$/, '.ts')}`;
  const count = `${passed} passed${failed ? `, ${failed} failed` : ''}${skipped ? `, ${skipped} skipped` : ''}`;
  console.log(
    `${why ? 'FAIL' : 'ok  '} ${name}  ${count}  ${seconds.toFixed(1)} s, computed ${computed.toFixed(1)} s${why ? `  (${why})` : ''}`,
  );
  if (why) console.log(`${output.trimEnd()}\n`);
}

function report(): void {
  const sum = (key: 'passed' | 'failed' | 'computed') =>
    results.reduce((total, result) => total + result[key], 0);
  const slowest = [...results].sort((a, b) => b.seconds - a.seconds).slice(0, 10);
  console.log('\nThe slowest files, and how long their processes computed:');
  for (const { file, seconds, computed } of slowest)
    console.log(`${seconds.toFixed(1).padStart(7)} s  ${computed.toFixed(1).padStart(6)} s  ${file}`);
  const failing = results.filter((result) => result.why).map((result) => result.file);
  if (failing.length > 0) console.log(`\nFailed: ${failing.join(', ')}`);
  if (secondRuns.length > 0)
    console.log(`\n${secondRuns.length} failed beside others and ran twice: ${secondRuns.join(', ')}`);
  console.log(
    `\n${sum('passed')} passed, ${sum('failed')} failed, ${secondRuns.length} files ran twice; computed ${sum('computed').toFixed(0)} s`,
  );
  if (failing.length > 0) process.exitCode = 1;
}

async function stop(): Promise<never> {
  for (const child of running) child.kill('SIGTERM');
  await remove();
  process.exit(1);
}

async function remove(): Promise<void> {
  await rm(installed, { recursive: true, force: true, maxRetries: 3 });
}
