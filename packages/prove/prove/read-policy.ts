import { middlewaresOf } from 'fwkit/http';
import { BootError, type Entry, type Problem, type Project } from 'fwkit/plugin';
import { namesOf } from '../policy/guard-names.js';
import { isPolicy, type Policy } from '../policy/policy.js';
import { MISTAKE } from '../policy/visitor.js';

/** A policy, and the file that it is in. */
export interface ReadPolicy {
  readonly policy: Policy;
  readonly entry: Entry;
}

/** The files of policies: one, unless something is wrong. */
export const policyFiles = (project: Project): readonly Entry[] => project.files('policy');

/** Import the policy of a project with the project's own loader. Throws a BootError where there is none, or it is not one. */
export async function readPolicy(project: Project): Promise<ReadPolicy> {
  const [entry, second] = policyFiles(project);
  if (!entry) throw new BootError(noPolicy(project));
  const refuse = (file: string, message: string): BootError =>
    new BootError({ file: project.display(file), message, code: MISTAKE });
  if (second)
    throw refuse(second.file, `is a second policy, beside ${project.display(entry.file)}. Delete one.`);
  const module = await project.load(entry);
  if (!module) throw new BootError(project.problems);
  if (!isPolicy(module.default))
    throw refuse(entry.file, 'does not export a policy. Export default policy([everything().passes(…)]).');
  checkCtx(module.default, entry, project);
  return { policy: module.default, entry };
}

function noPolicy(project: Project): Problem {
  const [first] = middlewaresOf(project);
  const name = first ? (namesOf(first.file).at(-1) ?? first.file) : '…';
  const file = project.display(`policy.${project.language}`);
  const rule = first?.directory
    ? `under('${first.directory}**').passes('${first.directory.slice(0, -1)}')`
    : `everything().passes('${name}')`;
  return {
    message: `There is no policy. Write ${file}: export default policy([${rule}]), with these functions of '@fwkit/prove'.`,
    code: MISTAKE,
  };
}

/** Report keys of ctx that a visitor has and the project has not. Known once the project has resolved. */
function checkCtx({ rules }: Policy, { file }: Entry, project: Project): void {
  const known = ['logger', ...project.providers.map(({ key }) => key)];
  // Before that, nothing is known.
  if (known.length === 1) return;
  for (const { refused, admitted, at } of rules)
    for (const { name, ctx } of [...refused, ...admitted])
      for (const key of Object.keys(ctx))
        if (!known.includes(key))
          throw new BootError({
            ...placeIn(project, file)(at),
            message: `visitor("${name}") has ctx.${key}, which nothing provides. There is: ${known.join(', ')}.`,
            code: MISTAKE,
          });
}

/** Where something was written: the innermost place in the project, of an error made there; else `file` itself. */
export const placeIn =
  (project: Project, file: string) =>
  (at: Error): { readonly file: string; readonly line?: number } => {
    const excerpt = project.explain(at).traces[0].excerpt;
    return excerpt ? { file: excerpt.file, line: excerpt.line } : { file: project.display(file) };
  };
