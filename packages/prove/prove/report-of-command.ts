import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants, setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

/** The time limit of a command, in milliseconds: a guard may hang. */
const LIMIT_MS = 60_000;

/** Runs a command in a process of its own, and resolves with the report that it prints for `--json`. */
export async function reportOfCommand(
  root: string,
  command: string,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<string> {
  const { resolve } = createRequire(join(root, 'package.json'));
  const program = join(dirname(resolve('fwkit/package.json')), 'cli/fwk.js');
  const child = spawn(process.execPath, [program, command, '--json', '--dir', root, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
    env: { ...process.env, NO_COLOR: '1' },
    ...(signal ? { signal } : {}),
  });
  // The server that runs meanwhile goes first.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  const [out, errors, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (status === null) throw new Error(`fwk ${command} did not end within ${LIMIT_MS / 1_000} s.\n${errors}`);
  if (status > 1) throw new Error(errors.trim() || `fwk ${command} ended with exit code ${status}.`);
  return out;
}
