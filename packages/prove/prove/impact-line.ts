import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Impact } from '../impact/find-impact.js';
import { named } from '../report/outcome.js';
import { reportOfCommand } from './report-of-command.js';

/** How long no other save may follow, in milliseconds. */
const QUIET_MS = 300;

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
      const report = await reportOfCommand(this.root, 'impact', ['--since=HEAD', '--', ...files], signal);
      const line = lineOf(JSON.parse(report));
      if (line !== undefined) console.log(line);
    } catch {
      // Another save followed, or the reload has reported the same error.
    }
  }
}

const isInGit = (directory: string): boolean =>
  existsSync(join(directory, '.git')) || (dirname(directory) !== directory && isInGit(dirname(directory)));

function lineOf({ everything, routes, pages, sockets, tools, jobs, total }: Impact): string | undefined {
  const [why] = everything;
  const labels = [routes, pages, sockets, tools, jobs].flatMap((list) => list.map(({ label }) => label));
  const found = `${labels.length} of ${total.endpoints}: ${named(labels, ', ')}`;
  return why !== undefined || labels.length > 0 ? `impact: ${why ?? found}` : undefined;
}
