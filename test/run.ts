import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

// `node dist/test/run.js [filter…]`: packs and installs the built tree once, then runs every test file but the long ones, and samples of
// some; `--long`: the long ones, and those files whole.

const repo = fileURLToPath(new URL('../../', import.meta.url));
const tests = path.join(repo, 'dist/test');
// Twice the cores of a small machine: files wait as often as they compute.
const atOnce = 4;
// What takes longest comes first, so that the end is not one long file alone.
const longest = [
  'e2e/http/validation-types',
  'e2e/app/drain',
  'e2e/dev/broken-edits',
  'e2e/build/rebuild',
  'e2e/mcp/conformance',
  'e2e/cli/boot-mistakes',
  'prove/bookshop-mutants',
  'e2e/build/manifest',
  'e2e/cli/guidance',
  'docs-examples',
  'e2e/tutorial',
].map((name) => `${name}.test.js`);
// What would take `npm test` beyond ten minutes, and is about what few edits touch. CI runs them after the others.
const long = [
  'assistant/',
  'e2e/app/drain-clients',
  'e2e/build/code-cache',
  'e2e/build/coverage',
  'e2e/build/package-managers',
  'e2e/cli/create-',
  'e2e/dev/error-page-reload',
  'e2e/dev/forged-stacks',
  'e2e/dev/inspector-steady',
  'e2e/dev/inspector-strange',
  'e2e/dev/nodes',
  'e2e/dev/remembered',
  'e2e/dev/specifiers',
  'e2e/http/direct',
  'e2e/http/pipelines',
  'e2e/mcp/inspector',
  'e2e/migration/',
  'e2e/openapi/document-tools',
  'e2e/openapi/serve',
  'e2e/plugins/views-editors',
  'e2e/recipes/',
  'e2e/workspace/image',
  'examples/chat',
  'examples/file-drop',
  'examples/graphql',
  'examples/mcp-licenses',
  'examples/side-by-side',
  'packages/cron-',
  'packages/postgres-network',
  'packages/queue-',
  'packages/redis-hups',
  'plugin-kit/broken',
  'prove/all-',
  'prove/graph-large',
  'prove/impact-bookshop',
  'prove/impact-sessions',
];
// What a file has that tries only a sample of its cases in `npm test`.
const SAMPLING = /\/harness\/(?:sample|served)\.js|\blayouts\b/;
// uvu has no time-outs: a file that hangs would hang the run.
const fileTimeout = 180_000;
// What a stopped file gets to end its own children before it is killed.
const grace = 5_000;

// The compiler is written in Go and ends before its garbage matters: collecting it costs a fourth of each build.
const compilerMemory = { GOGC: 'off', GOMEMLIMIT: '1GiB' };

interface Result {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  readonly why?: string;
  readonly output: string;
}

const running = new Set<ChildProcess>();
const installed = await realpath(await mkdtemp(path.join(tmpdir(), 'fwk-test-')));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop());

let results: Result[] = [];
const filters = process.argv.slice(2);
// Named files, and all in a long run, are tried whole.
const sample = filters.length === 0 ? { FWK_SAMPLE: '1' } : {};
try {
  const files = await testFiles();
  await install();
  results = await runAll(files);
} finally {
  await remove();
}
report();

async function testFiles(): Promise<string[]> {
  const all = await readdir(tests, { recursive: true });
  const files = all
    .filter((file) => file.endsWith('.test.js'))
    // tsc leaves the output of deleted sources behind.
    .filter((file) => existsSync(path.join(repo, 'test', file.replace(/\.js$/, '.ts'))))
    .filter((file) => isAsked(file))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  if (files.length === 0)
    throw new Error(`No test file matches ${filters.join(', ') || 'test/**/*.test.ts'}.`);
  return files;
}

function isAsked(file: string): boolean {
  const isLong = long.some((name) => file.startsWith(name));
  if (filters[0] === '--long') return isLong || SAMPLING.test(readFileSync(path.join(tests, file), 'utf8'));
  return filters.length === 0 ? !isLong : filters.some((filter) => file.includes(filter));
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
  // A TypeScript project brings Node's types itself.
  const packages = [...tarballs.map((name) => `./${name}`), `@types/node@${version.version}`];
  await finish('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...packages], installed);
}

async function finish(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { code, output } = await run(command, args, cwd, fileTimeout);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output}`);
}

async function runAll(files: readonly string[]): Promise<Result[]> {
  const queue = [...files];
  const done: Result[] = [];
  const worker = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const result = await runFile(file);
      done.push(result);
      tell(result);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  // Beside others on a small machine, what is to come within ten seconds may be late. Alone, it has to pass.
  for (const [index, { file, why }] of done.entries()) {
    if (why === undefined) continue;
    console.log(`${file} failed beside others, and is run once more, alone:`);
    const result = await runFile(file);
    done[index] = result;
    tell(result);
  }
  return done;
}

async function runFile(file: string): Promise<Result> {
  const begun = performance.now();
  const { code, timedOut, output } = await run(
    process.execPath,
    ['--enable-source-maps', path.join(tests, file)],
    repo,
    fileTimeout,
  );
  const number = (label: string) => Number(new RegExp(`^ *${label}: +(\\d+)`, 'm').exec(output)?.[1] ?? 0);
  const [total, passed, skipped] = [number('Total'), number('Passed'), number('Skipped')];
  const why = timedOut
    ? `took longer than ${fileTimeout / 1000} s`
    : total + skipped === 0
      ? 'ran no test: is .run() missing?'
      : // uvu ends with 0 when a before hook throws, so the numbers count as much as the status.
        code !== 0 || passed < total
        ? `ended with ${code}`
        : undefined;
  const failed = Math.max(total - passed, why ? 1 : 0);
  const seconds = (performance.now() - begun) / 1000;
  return { file, passed, failed, skipped, seconds, output, ...(why ? { why } : {}) };
}

function run(command: string, args: readonly string[], cwd: string, limit: number) {
  return new Promise<{ code: number | string | null; timedOut: boolean; output: string }>(
    (resolve, reject) => {
      const env = { ...process.env, ...compilerMemory, ...sample, FWK_INSTALLED: installed, NO_COLOR: '1' };
      const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
      running.add(child);
      let output = '';
      let timedOut = false;
      child.stdout.on('data', (chunk) => (output += chunk));
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

function tell({ file, passed, failed, skipped, seconds, why, output }: Result): void {
  const name = `test/${file.replace(/\.js$/, '.ts')}`;
  const count = `${passed} passed${failed ? `, ${failed} failed` : ''}${skipped ? `, ${skipped} skipped` : ''}`;
  console.log(
    `${why ? 'FAIL' : 'ok  '} ${name}  ${count}  ${seconds.toFixed(1)} s${why ? `  (${why})` : ''}`,
  );
  if (why) console.log(`${output.trimEnd()}\n`);
}

function report(): void {
  const sum = (key: 'passed' | 'failed') => results.reduce((total, result) => total + result[key], 0);
  const failing = results.filter((result) => result.why).map((result) => result.file);
  if (failing.length > 0) console.log(`\nFailed: ${failing.join(', ')}`);
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`);
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
