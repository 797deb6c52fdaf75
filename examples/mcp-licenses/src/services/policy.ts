import { readFile, rename, writeFile } from 'node:fs/promises';
import { service } from 'fwkit';
import { z } from 'zod';
import { Decision } from '../lib/license.js';

const Decisions = z.record(z.string(), Decision);

/** The licenses that the company allows, in a file that people can read and keep under version control. */
export default service(async () => {
  const path = process.env.POLICY_FILE ?? 'policy.json';
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return '{}';
    throw cause;
  });
  const decisions = new Map(Object.entries(Decisions.parse(JSON.parse(text))));
  let saved: Promise<void> = Promise.resolve();

  async function save(): Promise<void> {
    const sorted = [...decisions].sort(([a], [b]) => (a < b ? -1 : 1));
    await writeFile(`${path}.new`, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
    await rename(`${path}.new`, path);
  }

  return {
    all: () => Object.fromEntries(decisions),
    of: (id: string): Decision | undefined => decisions.get(id),
    /** Resolves when the decision is on the disk. */
    async decide(id: string, decision: Decision): Promise<void> {
      decisions.set(id, decision);
      // Saves one at a time. If a save fails, the next one includes its data.
      saved = saved.catch(() => {}).then(save);
      await saved;
    },
  };
});
