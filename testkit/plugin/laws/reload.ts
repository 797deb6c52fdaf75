import type { BaseRoute } from '../../../kernel/internal.js';
import { edit } from '../edit.js';
import { lastingSurplus, surplus } from '../resources.js';
import { Run, STARTED } from '../run.js';
import type { Subject } from '../subject.js';

/** Replaces a version twice: after an edit of what the plugin claims, and where nothing has changed. */
export async function check(subject: Subject): Promise<readonly string[]> {
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

/** How the routes of a version differ from those of the one before it, which are to be the same. */
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
