import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import type { Impact } from '../impact/find-impact.js';

/** The time limit of a command, in milliseconds: a guard may hang. */
const LIMIT_MS = 60_000;

/** Runs a command in a process of its own, and resolves with the report that it prints for `--json`. */
export async function reportOfCommand<Report>(
  root: string,
  [command = '', ...flags]: readonly string[],
  signal?: AbortSignal,
): Promise<Report> {
  const { resolve } = createRequire(join(root, 'package.json'));
  const program = join(dirname(resolve('fwkit/package.json')), 'cli/fwk.js');
  const child = spawn(process.execPath, [program, command, '--json', '--dir', root, ...flags], {
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
  return JSON.parse(out);
}

/** How long no other save may follow, in milliseconds. */
const QUIET_MS = 300;
const MAX_NAMED = 3;

/** Prints the endpoints that saved files may change, compared with the last commit, for projects in a git repository. */
export class ImpactLine {
  #running = new AbortController();

  constructor(private readonly root: string) {}

  cancel(): void {
    this.#running.abort();
  }

  async printAfter(files: readonly string[]): Promise<void> {
    if (!isInGit(this.root)) return;
    this.#running = new AbortController();
    const { signal } = this.#running;
    try {
      await setTimeout(QUIET_MS, undefined, { signal, ref: false });
      const flags = ['impact', '--since', 'HEAD', ...files];
      const line = lineOf(await reportOfCommand<Impact>(this.root, flags, signal));
      if (line !== undefined) console.log(line);
    } catch {
      // Another save followed, or the reload has reported the same error.
    }
  }
}

const isInGit = (directory: string): boolean =>
  existsSync(join(directory, '.git')) || (dirname(directory) !== directory && isInGit(dirname(directory)));

function lineOf(impact: Impact): string | undefined {
  const [why] = impact.everything;
  if (why !== undefined) return `impact: ${why}`;
  const { routes, pages, sockets, tools, jobs } = impact;
  const labels = [routes, pages, sockets, tools, jobs].flatMap((list) => list.map(({ label }) => label));
  if (labels.length === 0) return undefined;
  const more = labels.length > MAX_NAMED ? ` and ${labels.length - MAX_NAMED} more` : '';
  return `impact: ${labels.length} of ${impact.total.endpoints}: ${labels.slice(0, MAX_NAMED).join(', ')}${more}`;
}
