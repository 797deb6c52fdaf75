import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { relative } from 'node:path';
import { type CommandRun, slashed } from '../../kernel/internal.js';
import { filesBelow } from '../doctor/files.js';
import { build } from './build.js';

/**
 * Build, and have Node's own test runner run every test of what was compiled; without a tsconfig.json, of the sources. No pattern in a
 * script does that with each Node and in each shell: Node 20 knows none, and later ones take no directory.
 */
export async function run(command: CommandRun): Promise<void> {
  // A build sets NODE_ENV, and loads what `.env` has for production.
  const env = { ...process.env };
  const { root } = command.paths();
  const directory = (await build(command)) ?? root;
  if (process.exitCode) return;
  const tests = [...filesBelow(directory, [])].filter((file) => /\.test\.[cm]?js$/.test(file)).sort();
  if (tests.length === 0) {
    console.error('There are no tests: no source has a name such as books.test.ts or books.test.js.');
    process.exitCode = 1;
    return;
  }
  const names = tests.map((file) => literal(slashed(relative(root, file))));
  const child = spawn(process.execPath, ['--test', ...names], { cwd: root, env, stdio: 'inherit' });
  const [status] = (await once(child, 'close')) as [number | null];
  process.exitCode = status ?? 1;
}

/** The first Node that takes what it is told to test for patterns. */
const NODE_WITH_PATTERNS = 21;

/** A path as `node --test` takes it: `[id].test.js` is a pattern for later ones, and means other files. */
const literal = (path: string): string =>
  Number.parseInt(process.versions.node, 10) < NODE_WITH_PATTERNS ? path : path.replace(/[[{(*?]/g, '[$&]');
