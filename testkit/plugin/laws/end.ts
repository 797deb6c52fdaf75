import { sourceLoader } from '../../../loader/index.js';
import { providersOf } from '../../../plugins/context/index.js';
import type { ProjectFolder } from '../folder.js';
import { surplus } from '../resources.js';
import { Run, STARTED } from '../run.js';
import { globals, inTime, replacedFunctions, type Subject } from '../subject.js';

const NOTHING = new Map<string, readonly string[]>();

export async function checkClose(subject: Subject): Promise<readonly string[]> {
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

/** Like `fwk routes`: the routes are resolved but not served. */
async function afterResolving(subject: Subject): Promise<readonly string[]> {
  const run = new Run(subject, subject.folder());
  try {
    const before = run.folder.list();
    await run.resources.run(async () => {
      const resolved = await inTime('Resolving', subject.open({ folder: run.folder }).resolve());
      await inTime('Closing what was resolved', resolved.close());
    });
    const left = surplus(await run.settled(NOTHING), NOTHING);
    const written = [...run.folder.list()].filter(([name, state]) => before.get(name) !== state);
    return [
      ...left.map((what) => `It leaves ${what} when routes were only listed.`),
      ...written.map(
        ([name]) => `It writes ${name} when routes are only listed. Write files while the app serves.`,
      ),
    ];
  } finally {
    await run.dispose();
  }
}

/** The number of the process's listeners, by event. */
const listeners = (): ReadonlyMap<string, number> =>
  new Map(process.eventNames().map((name) => [String(name), process.listenerCount(name)]));

/** Compares a project with the plugin disabled, before and after it has run in this process. Then enables it again in a running runtime. */
export async function checkDisable(subject: Subject): Promise<readonly string[]> {
  const folder = subject.folder();
  const before = await traits(subject, folder);
  const failures = await enabledAgain(subject, folder);
  const after = await traits(subject, folder);
  const { globals: names = [] } = subject.fixtures;
  const allowed = new Set(names.map((name) => `the global variable ${name}`));
  const seen = (traits: readonly string[]) => traits.filter((trait) => !allowed.has(trait));
  return [
    ...failures,
    ...differences(seen([...before, ...subject.pristine]), seen([...after, ...globals()])),
    ...replacedFunctions(subject.functions)
      .filter((name) => !names.includes(name))
      .map((name) => `It replaces the global function ${name}, and does not restore it.`),
  ];
}

async function enabledAgain(subject: Subject, folder: ProjectFolder): Promise<readonly string[]> {
  const run = new Run(subject, folder);
  try {
    await run.start();
    await run.failures(STARTED);
    // Failures of any reload are reported by the reload law.
    await run.next({ files: [] });
    if ((await run.failures(STARTED)).length > 0) return [];
    // Files of the fixtures may need the plugin: then no version without it exists.
    const without = await run.next({ files: [], isDisabled: true }).catch(() => undefined);
    if (!without) return [];
    await run.next({ files: [] });
    return await run.failures('after it was disabled and enabled again');
  } finally {
    await run.dispose();
  }
}

function differences(before: readonly string[], after: readonly string[]): readonly string[] {
  const [had, has] = [new Set(before), new Set(after)];
  return [
    ...after
      .filter((trait) => !had.has(trait))
      .map(
        (trait) => `A project where it is disabled has ${trait}, and had not before it ran in this process.`,
      ),
    ...before
      .filter((trait) => !has.has(trait))
      .map((trait) => `A project where it is disabled no longer has ${trait} once it ran in this process.`),
  ];
}

/** Describe everything in a project with the plugin disabled. */
async function traits(subject: Subject, folder: ProjectFolder): Promise<readonly string[]> {
  const { root } = folder.paths;
  const open = () => subject.open({ folder, loader: sourceLoader(root), isDisabled: true });
  const kernel = open();
  const { routes, project, close } = await inTime(
    'The start of a project where it is disabled',
    kernel.resolve(),
  );
  const types = await open().generate('types');
  const found = [
    ...project.entries.map(({ file, kind }) => `the file ${file} of the kind "${kind}"`),
    ...routes.map(({ label, kind }) => `the route "${label}" of the kind "${kind}"`),
    ...providersOf(project).map(({ key, file }) => `ctx.${key} of ${file}`),
    ...types.outputs.map(({ path, contents }) => `${path} with the text ${JSON.stringify(contents)}`),
  ];
  await inTime('Closing a project where it is disabled', close());
  return found;
}
