import { Run, STARTED } from '../run.js';
import type { Subject } from '../subject.js';

/** The fixtures boot, and use what the plugin claims: without that no other law would mean a thing. */
export async function check(subject: Subject): Promise<readonly string[]> {
  const run = new Run(subject, subject.folder());
  try {
    const { kernel } = await run.start();
    const used = new Set(kernel.entries().map(({ kind }) => kind));
    const unused = [...new Map(subject.claims())].filter(([kind]) => !used.has(kind));
    const failures = await run.failures(STARTED);
    const missing = unused.map(
      ([kind, glob]) => `The fixtures have no file of the kind "${kind}". Add one that "${glob}" matches.`,
    );
    return [...failures, ...missing];
  } finally {
    await run.dispose();
  }
}
