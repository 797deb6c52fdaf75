import { readFileSync } from 'node:fs';
import type { BaseRoute, Kernel } from '../../../kernel/index.js';
import type { ProjectFolder } from '../folder.js';
import { lastingSurplus, surplus } from '../resources.js';
import { type Run, STARTED, withRun } from '../run.js';
import type { Subject } from '../subject.js';

/** Returns a function that compares the plugin's work and its open resources with the first version's, and adds the findings. */
function comparison(run: Run, findings: string[]): (when: string) => Promise<void> {
  const before = run.resources.list();
  const registered = run.runtime.registered();
  return async (when) => {
    findings.push(...(await run.failures(when)));
    const after = await run.resources.settled(before);
    const left = [...surplus(after, before), ...surplus(run.runtime.registered(), registered)];
    const lost = lastingSurplus(before, after);
    findings.push(...left.map((what) => `${when}, ${what} is left over. End it in onClose.`));
    findings.push(
      ...lost.map((what) => `${when}, ${what} is missing. Start it in onStart, and end it only in onClose.`),
    );
  };
}

/** Replaces a version twice: after an edit of claimed files, and without any change. */
export const checkReload = (subject: Subject): Promise<readonly string[]> =>
  withRun(subject, subject.folder(), async (run) => {
    const findings: string[] = [];
    const first = await run.start();
    await run.failures(STARTED);
    const compare = comparison(run, findings);
    const edited = await run.next({ files: edit(subject, first.kernel, run.folder) });
    if (subject.fixtures.changed === undefined) findings.push(...differences(first.routes, edited.routes));
    if (edited.hasWaited)
      findings.push('A version that replaces another waits in onStart. Only the first version may wait.');
    await compare('After an edit');
    const same = await run.next({ files: [], metadata: edited.project.run.recorded });
    findings.push(...differences(edited.routes, same.routes));
    await compare('After a reload without changes');
    return findings;
  });

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

class Canceled extends Error {}

/** Makes versions that never serve: one is canceled at the last moment, others have a broken file. */
export const checkRollback = (subject: Subject): Promise<readonly string[]> =>
  withRun(subject, subject.folder(), async (run) => {
    const findings: string[] = [];
    const { folder } = run;
    const { kernel } = await run.start();
    await run.failures(STARTED);
    const before = run.resources.list();
    const compare = comparison(run, findings);
    const onStart = () => {
      const early = lastingSurplus(run.resources.list(), before);
      findings.push(
        ...early.map((what) => `Before its version starts, there is already ${what}. Create it in onStart.`),
      );
      throw new Canceled();
    };
    await run.next({ files: edit(subject, kernel, folder), onStart }).catch((thrown) => {
      if (!(thrown instanceof Canceled)) throw thrown;
    });
    await compare('After a version was canceled before its onStart');

    const [file] = subject.claimed(kernel);
    if (file === undefined) return findings;
    folder.write({ [file]: 'throw new Error("broken by the test of the plugin");\n' });
    // If it serves anyway, the error law reports it.
    const served = await run.next({ files: [folder.path(file)] }).catch(() => undefined);
    if (!served) await compare('After a version with a broken file');
    return findings;
  });

/** Save the plugin's files with other code, and return their absolute paths. By default, each gets a line without effect. */
function edit(subject: Subject, kernel: Kernel, folder: ProjectFolder): readonly string[] {
  const withLine = (file: string) => [file, `${readFileSync(folder.path(file), 'utf8')}\nvoid 0;\n`];
  const texts = subject.fixtures.changed ?? Object.fromEntries(subject.claimed(kernel).map(withLine));
  folder.write(texts);
  return Object.keys(texts).map((name) => folder.path(name));
}
