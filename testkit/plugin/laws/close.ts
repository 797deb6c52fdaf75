import { surplus } from '../resources.js';
import { Run, STARTED } from '../run.js';
import { inTime, type Subject } from '../subject.js';

const NOTHING = new Map<string, readonly string[]>();

export async function check(subject: Subject): Promise<readonly string[]> {
  const listening = listeners();
  const findings = [...(await afterServing(subject)), ...(await afterResolving(subject))];
  for (const [name, count] of listeners()) {
    if (count > (listening.get(name) ?? 0))
      findings.push(`It leaves a listener: process.on('${name}') is called, and process.off() is not.`);
  }
  return findings;
}

async function afterServing(subject: Subject): Promise<readonly string[]> {
  const run = new Run(subject, subject.folder());
  try {
    await run.start();
    await run.failures(STARTED);
    await run.close();
    const left = surplus(await run.settled(NOTHING), NOTHING);
    return left.map((what) => `It leaves ${what} when the app has closed.`);
  } finally {
    await run.dispose();
  }
}

/** As `fwk routes` does: what was resolved is not served. */
async function afterResolving(subject: Subject): Promise<readonly string[]> {
  const run = new Run(subject, subject.folder());
  try {
    await run.resources.run(async () => {
      const resolved = await inTime('Resolving', subject.open({ folder: run.folder }).resolve());
      await inTime('Closing what was resolved', resolved.close());
    });
    const left = surplus(await run.settled(NOTHING), NOTHING);
    return left.map((what) => `It leaves ${what} when routes were only listed.`);
  } finally {
    await run.dispose();
  }
}

/** How many listeners the process has, by event. */
const listeners = (): ReadonlyMap<string, number> =>
  new Map(process.eventNames().map((name) => [String(name), process.listenerCount(name)]));
