import { sourceLoader } from '../../../loader/index.js';
import { providersOf } from '../../../plugins/context/index.js';
import type { ProjectFolder } from '../folder.js';
import { surplus } from '../resources.js';
import { STARTED, withRun } from '../run.js';
import { globals, inTime, replacedFunctions, type Subject } from '../subject.js';

const NOTHING = new Map<string, readonly string[]>();

export async function checkClose(subject: Subject): Promise<readonly string[]> {
  const before = listeners();
  const findings = [...(await afterServing(subject)), ...(await afterResolving(subject))];
  for (const [name, count] of listeners())
    if (count > (before.get(name) ?? 0))
      findings.push(`A listener of process.on('${name}') is never removed. Call process.off().`);
  return findings;
}

const afterServing = (subject: Subject): Promise<readonly string[]> =>
  withRun(subject, subject.folder(), async (run) => {
    await run.start();
    await run.failures(STARTED);
    await run.close();
    const left = surplus(await run.resources.settled(NOTHING), NOTHING);
    return left.map((what) => `After the app has closed, ${what} is left over. End it in runtime.onEnd.`);
  });

/** Like `fwk routes`: the routes are resolved but not served. */
const afterResolving = (subject: Subject): Promise<readonly string[]> =>
  withRun(subject, subject.folder(), async (run) => {
    const before = run.folder.list();
    await run.resources.run(async () => {
      const resolved = await inTime('Resolving', subject.open({ folder: run.folder }).resolve());
      await inTime('Closing the resolved project', resolved.close());
    });
    const left = surplus(await run.resources.settled(NOTHING), NOTHING);
    const written = [...run.folder.list()].filter(([name, state]) => before.get(name) !== state);
    return [
      ...left.map((what) => `After routes were only listed, ${what} is left over. Create it in serve.`),
      ...written.map(([name]) => `${name} is written when routes are only listed. Write it in serve.`),
    ];
  });

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
  const had = new Set([...before, ...subject.pristine]);
  const has = new Set([...after, ...globals()]);
  const missingIn = (others: ReadonlySet<string>, traits: ReadonlySet<string>): string[] =>
    [...traits].filter((trait) => !others.has(trait) && !allowed.has(trait));
  const disabled = 'Where the plugin is disabled after it ran in this process, the project';
  return [
    ...failures,
    ...missingIn(had, has).map((trait) => `${disabled} has ${trait}. Remove it when the app closes.`),
    ...missingIn(has, had).map((trait) => `${disabled} no longer has ${trait}.`),
    ...replacedFunctions(subject.functions)
      .filter((name) => !names.includes(name))
      .map((name) => `The global function ${name} is replaced. Restore it when the app closes.`),
  ];
}

const enabledAgain = (subject: Subject, folder: ProjectFolder): Promise<readonly string[]> =>
  withRun(subject, folder, async (run) => {
    await run.start();
    await run.failures(STARTED);
    // Failures of any reload are reported by the reload law.
    await run.next({ files: [] });
    if ((await run.failures(STARTED)).length > 0) return [];
    // Files of the fixtures may need the plugin: then no version without it exists.
    const without = await run.next({ files: [], isDisabled: true }).catch(() => undefined);
    if (!without) return [];
    await run.next({ files: [] });
    return run.failures('After the plugin was disabled and enabled again');
  });

/** Describe everything in a project with the plugin disabled. */
async function traits(subject: Subject, folder: ProjectFolder): Promise<readonly string[]> {
  const open = () => subject.open({ folder, loader: sourceLoader(folder.paths.root), isDisabled: true });
  const starting = inTime('The start of a project without the plugin', open().resolve());
  const { routes, project, close } = await starting;
  const types = await open().generate('types');
  const found = [
    ...project.entries.map(({ file, kind }) => `the file ${file} of the kind "${kind}"`),
    ...routes.map(({ label, kind }) => `the route "${label}" of the kind "${kind}"`),
    ...providersOf(project).map(({ key, file }) => `ctx.${key} of ${file}`),
    ...types.outputs.map(({ path, contents }) => `${path} with the text ${JSON.stringify(contents)}`),
  ];
  await inTime('Closing a project without the plugin', close());
  return found;
}
