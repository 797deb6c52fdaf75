import { readFileSync } from 'node:fs';
import type { BaseRoute, Kernel } from '../../../kernel/index.js';
import type { ProjectFolder } from '../folder.js';
import { type Inventory, lastingSurplus, surplus } from '../resources.js';
import { Run, STARTED } from '../run.js';
import type { Subject } from '../subject.js';

/** Replaces a version twice: after an edit of claimed files, and without any change. */
export async function checkReload(subject: Subject): Promise<readonly string[]> {
  const folder = subject.folder();
  const run = new Run(subject, folder);
  const findings: string[] = [];
  try {
    const first = await run.start();
    await run.failures(STARTED);
    const before = run.resources.list();
    const registered = run.registered();

    const compare = async (when: string) => {
      findings.push(...(await run.failures(when)));
      const after = await run.settled(before);
      const more = [...surplus(after, before), ...surplus(run.registered(), registered)];
      findings.push(...more.map((what) => `It has ${what} once more ${when}.`));
      findings.push(...lastingSurplus(before, after).map((what) => `It no longer has ${what} ${when}.`));
    };
    const edited = await run.next({ files: edit(subject, first.kernel, folder) });
    if (subject.fixtures.changed === undefined) findings.push(...differences(first.routes, edited.routes));
    if (edited.hasWaited)
      findings.push(
        'It waits in onStart of a version that replaces another. Only the first may: begin at once.',
      );
    await compare('after an edit');
    const same = await run.next({ files: [], metadata: edited.project.run.recorded });
    findings.push(...differences(edited.routes, same.routes));
    await compare('after a reload in which nothing changed');
    return findings;
  } finally {
    await run.dispose();
  }
}

/** How the routes of a version differ from the previous version's, which should be the same. */
function differences(before: readonly BaseRoute[], after: readonly BaseRoute[]): readonly string[] {
  const describe = ({ kind, protocol, file, label, id, chain }: BaseRoute) =>
    JSON.stringify({ kind, protocol, file, label, id, chain });
  const [had, has] = [new Set(before.map(describe)), new Set(after.map(describe))];
  return [
    ...[...had].filter((route) => !has.has(route)).map((route) => `A reload loses the route ${route}.`),
    ...[...has].filter((route) => !had.has(route)).map((route) => `A reload adds the route ${route}.`),
    ...(before.length === after.length ? [] : [`A reload makes ${after.length} routes of ${before.length}.`]),
  ];
}

class CalledOff extends Error {}

/** Makes versions that never serve: one is cancelled at the last moment, others have a broken file. */
export async function checkRollback(subject: Subject): Promise<readonly string[]> {
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
    // If it serves anyway, the error law reports it.
    const served = await run.next({ files: [folder.path(file)] }).catch(() => undefined);
    if (served) return findings;
    await compare('after a version with a broken file');
    return findings;
  } finally {
    await run.dispose();
  }
}

/** Make a version and cancel it when it is ready but not started. */
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

/** List the resources that a version has started although it may still be cancelled. */
const begun = (ready: Inventory, before: Inventory): readonly string[] =>
  lastingSurplus(ready, before).map(
    (what) => `It begins ${what} before its version starts, beside the one that serves. Begin it in onStart.`,
  );

/** Save the plugin's files with other code, and return their absolute paths. */
function edit(subject: Subject, kernel: Kernel, folder: ProjectFolder): readonly string[] {
  const texts = subject.fixtures.changed ?? unchanged(subject.claimed(kernel), folder);
  folder.write(texts);
  return Object.keys(texts).map((name) => folder.path(name));
}

/** Their texts with an added line without effect, so that they are evaluated again. */
const unchanged = (files: readonly string[], folder: ProjectFolder): Readonly<Record<string, string>> =>
  Object.fromEntries(files.map((file) => [file, `${readFileSync(folder.path(file), 'utf8')}\nvoid 0;\n`]));
