import { edit } from '../edit.js';
import { type Inventory, lastingSurplus, surplus } from '../resources.js';
import { Run, STARTED } from '../run.js';
import type { Subject } from '../subject.js';

class CalledOff extends Error {}

/** Makes versions that come to nothing: one at the last moment, others since a file is broken. */
export async function check(subject: Subject): Promise<readonly string[]> {
  const folder = subject.folder();
  const run = new Run(subject, folder);
  const findings: string[] = [];
  try {
    const { kernel } = await run.start();
    await run.failures(STARTED);
    const before = run.resources.list();
    const registered = run.registered();
    const compare = async (when: string) => {
      findings.push(...(await run.failures(when)));
      const after = await run.settled(before);
      const left = [...surplus(after, before), ...surplus(run.registered(), registered)];
      findings.push(...left.map((what) => `It leaves ${what} ${when}.`));
      findings.push(...lastingSurplus(before, after).map((what) => `It has ended ${what} ${when}.`));
    };

    await calledOff(run, edit(subject, kernel, folder), (ready) => findings.push(...begun(ready, before)));
    await compare('after a version was called off before its onStart');

    const [file] = subject.claimed(kernel);
    if (file === undefined) return findings;
    folder.write({ [file]: 'throw new Error("broken by the test of the plugin");\n' });
    // One that serves all the same is for the law of errors to find.
    const served = await run.next({ files: [folder.path(file)] }).catch(() => undefined);
    if (served) return findings;
    await compare('after a version with a broken file');
    return findings;
  } finally {
    await run.dispose();
  }
}

/** Make a version and call it off when it is ready, and has not started. */
async function calledOff(
  run: Run,
  files: readonly string[],
  isReady: (list: Inventory) => void,
): Promise<void> {
  const onStart = () => {
    isReady(run.resources.list());
    throw new CalledOff();
  };
  await run.next({ files, observer: { onStart } }).catch((thrown) => {
    if (!(thrown instanceof CalledOff)) throw thrown;
  });
}

/** Name what a version has begun although it may still be called off. */
const begun = (ready: Inventory, before: Inventory): readonly string[] =>
  lastingSurplus(ready, before).map(
    (what) => `It begins ${what} before its version starts, beside the one that serves. Begin it in onStart.`,
  );
