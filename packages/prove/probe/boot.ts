import {
  BootError,
  type CommandRun,
  type Hooks,
  type Problem,
  type Project,
  type Served,
} from 'fwkit/plugin';
import { SILENT } from '../quiet.js';

/**
 * Serve the project, as `apply` changes it, with `overrides` in `ctx`. Rejects with a BootError that says what to do about it.
 */
export async function serveTo(
  run: CommandRun,
  apply: (hooks: Hooks) => void,
  overrides: object,
  project: Project,
): Promise<Served> {
  try {
    return await run.serve({ apply, overrides, logger: SILENT });
  } catch (thrown) {
    if (!(thrown instanceof BootError)) throw thrown;
    throw new BootError(thrown.problems.map((problem) => advised(problem, project)));
  }
}

/** What fails to start need not be started. */
function advised(problem: Problem, project: Project): Problem {
  const provider = project.providers.find(({ file }) => problem.file?.startsWith(project.display(file)));
  if (!provider) return problem;
  const message = `${problem.message.replace(/[^.!?]$/, '$&.')} A middleware asks for it, so the probe starts it. To do without, have visitors bring it: visitor('…', { ctx: { ${provider.key}: … } }).`;
  return { ...problem, message };
}
