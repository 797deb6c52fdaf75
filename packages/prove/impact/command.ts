import path from 'node:path';
import { type BaseRoute, BootError, type CommandRun, type Project, Stage } from 'fwkit/plugin';
import { QUIET } from '../quiet.js';
import { keepStdout } from '../report/keep-stdout.js';
import { orAsJson } from '../report/or-as-json.js';
import { findChanges, NotKnown } from './changes.js';
import { dependenciesOf } from './dependencies.js';
import { findImpact, type Resolution } from './find-impact.js';
import type { Impact } from './impact.js';
import { markdownLines, terminalLines } from './report.js';

/** The flags by which it is printed in another way. */
const FORMATS = ['json', 'markdown', 'tests'] as const;

/** `fwk impact`: the status is 0 whatever is reached, and 2 where that cannot be said. */
export async function run(command: CommandRun): Promise<void> {
  process.exitCode = 2;
  const { flags } = command;
  const [format, second] = FORMATS.filter((name) => flags[name] === true);
  // What the project prints while it is imported must not come between.
  const print = format ? keepStdout() : console.log;
  const impact = await orAsJson(flags.json === true, print, async () => {
    if (second)
      throw new BootError({
        message: `--${format} and --${second} ask for two formats. Give one.`,
        code: 'FWK603',
      });
    return answer(command);
  });
  process.exitCode = 0;
  for (const line of linesOf(impact, format, command.paths().root)) print(line);
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

function linesOf(
  impact: Impact,
  format: (typeof FORMATS)[number] | undefined,
  root: string,
): readonly string[] {
  if (format === 'json') return [JSON.stringify(impact, null, 2)];
  if (format === 'markdown') return markdownLines(impact);
  if (format === 'tests') return impact.tests.map((file) => path.relative('.', path.join(root, file)));
  return terminalLines(impact);
}
