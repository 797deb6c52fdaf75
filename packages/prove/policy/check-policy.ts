import { isHttpRoute, middlewaresOf } from 'fwkit/http';
import {
  type BaseRoute,
  BootError,
  type Entry,
  explain,
  type Problem,
  type Project,
  providersOf,
} from 'fwkit/plugin';
import { type Checked, checkRule } from './check.js';
import { Guards, namesOf } from './guards.js';
import { isPolicy, type Policy } from './policy.js';
import { MISTAKE } from './rule.js';
import { fileOf, Table, targetsOf } from './targets.js';

/** A policy, and the file that it is in. */
interface ReadPolicy {
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
  const known = ['logger', ...providersOf(project).map(({ key }) => key)];
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
const placeIn =
  (project: Project, file: string) =>
  (at: Error): { readonly file: string; readonly line?: number } => {
    const excerpt = explain(at, project.root).traces[0].excerpt;
    return excerpt ? { file: excerpt.file, line: excerpt.line } : { file: project.display(file) };
  };

/** Hold routes against a policy, as far as that can be done without a request. `project` says where files are. */
export const checkPolicy = (
  read: ReadPolicy,
  routes: readonly BaseRoute[],
  project: Project,
): readonly Checked[] => [...checkedRules(read, routes, project)];

/** The same, one rule at a time, for who has something else to do between them. */
export function* checkedRules(
  { policy, entry }: ReadPolicy,
  routes: readonly BaseRoute[],
  project: Project,
): Generator<Checked> {
  const targets = targetsOf(routes);
  const facts = {
    table: new Table(targets),
    guards: new Guards([
      ...middlewaresOf(project).map(({ file }) => file),
      // Plugins may have layers of their own in files.
      ...targets.flatMap(({ chain }) => chain),
    ]),
    unreachable: new Map(
      routes.filter((route) => !isHttpRoute(route)).map(({ file, label }) => [file, label]),
    ),
    fileOf: fileOf(project),
    display: (file: string) => project.display(file),
    placeOf: placeIn(project, entry.file),
  };
  for (const rule of policy.rules) yield checkRule(rule, facts);
}
