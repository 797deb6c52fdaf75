import { reloads } from './edit.js';
import type { Site } from './served.js';

/** Reads a server's reports of changes without waiting for a report that may not come. */
export function reportedChanges(site: Site) {
  let turn = 0;

  /** A change that is reported after all earlier ones. */
  async function last(): Promise<void> {
    turn += 1;
    const from = site.dev.output.mark();
    site.project.write(`lib/last-${turn}.ts`, 'export {};');
    await site.dev.waitFor(new RegExp(`last-${turn}\\..*( ms|: no code changed)\n`), from);
  }

  /** The files reported as changed, except the files of `last`. */
  async function changesOf(change: () => unknown): Promise<string[]> {
    const from = site.dev.output.mark();
    await change();
    await last();
    const names = reloads(site, from).flatMap((line) => line.split(', '));
    return [...new Set(names)].filter((name) => !/last-\d+\./.test(name));
  }

  return { last, changesOf };
}
