import path from 'node:path';
import { type BaseRoute, BootError, type CommandRun, type Project, Stage } from 'fwkit/plugin';
import { QUIET } from '../quiet.js';
import { findChanges, NotKnown } from './changes.js';
import { dependenciesOf } from './dependencies.js';
import { findImpact, type Resolution } from './find-impact.js';
import type { Impact } from './impact.js';
import { markdownLines, terminalLines } from './report.js';

/** `fwk impact`: the status is 0 whatever is reached, and 2 where that cannot be said. */
export async function run(command: CommandRun): Promise<void> {
  try {
    print(await answer(command), command);
  } catch (thrown) {
    process.exitCode = 2;
    if (!(thrown instanceof NotKnown)) throw thrown;
    console.error(thrown.message);
  }
}

/** What the files or the ref that were given reach. Rejects with a NotKnown. */
export async function answer(
  command: Pick<CommandRun, 'flags' | 'operands' | 'paths' | 'open'>,
): Promise<Impact> {
  const { flags, operands } = command;
  const since = typeof flags.since === 'string' ? flags.since : undefined;
  if (since === undefined && operands.length === 0)
    throw new NotKnown('Name the files that changed, or say --since <ref>, such as --since main.');
  const changes = await findChanges(command.paths().root, { files: operands, since });
  const resolution = await resolve(command);
  try {
    return await findImpact(resolution, { ...changes, since, withData: flags.data === true });
  } finally {
    await resolution.project.close();
  }
}

/** The project, as far as it boots: what is broken is what the answer is about. */
async function resolve(command: Pick<CommandRun, 'paths' | 'open'>): Promise<Resolution> {
  let last: { project: Project; routes: readonly BaseRoute[] } | undefined;
  const lifecycle = await command.open({
    purpose: 'build',
    logger: QUIET,
    apply(hooks) {
      hooks.resolve.tapPromise({ name: 'impact', stage: Stage.finish }, async (routes, project) => {
        last = { project, routes };
        return routes;
      });
    },
  });
  const dependencies = dependenciesOf(command.paths().root);
  try {
    const { project, routes } = await lifecycle.resolve();
    return { project, routes, problems: [], dependencies };
  } catch (thrown) {
    if (!(thrown instanceof BootError)) throw thrown;
    const problems = thrown.problems.map(({ file, message }) =>
      file === undefined ? message : `${file} ${message}`,
    );
    return { ...(last ?? { project: lifecycle.discover(), routes: [] }), problems, dependencies };
  }
}

function print(impact: Impact, { flags, paths }: CommandRun): void {
  if (flags.json === true) return console.log(JSON.stringify(impact, null, 2));
  if (flags.tests === true) {
    const { root } = paths();
    for (const file of impact.tests) console.log(path.relative('.', path.join(root, file)));
    return;
  }
  for (const line of flags.markdown === true ? markdownLines(impact) : terminalLines(impact))
    console.log(line);
}
