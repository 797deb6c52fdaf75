import { middlewaresOf } from 'fwkit/http';
import {
  type BaseRoute,
  BootError,
  type Entry,
  explain,
  type Problem,
  type Project,
  providersOf,
} from 'fwkit/plugin';
import { type Checked, type Reads, RuleCheck } from './check.js';
import { Guards, namesOf } from './guards.js';
import { isPolicy, type Policy } from './policy.js';
import { MISTAKE } from './rule.js';
import { Table, targetsOf } from './targets.js';

export interface ReadPolicy {
  readonly policy: Policy;
  readonly entry: Entry;
}

/** The files of policies: one, unless something is wrong. */
export const policyFiles = (project: Project): readonly Entry[] => project.files('policy');

/** Import the policy of a project with the project's own loader. Throws a BootError if the project has no policy, or the file exports something else. */
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
  checkKeys(module.default, entry, project);
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

function checkKeys({ rules }: Policy, { file }: Entry, project: Project): void {
  const known = ['logger', ...providersOf(project).map(({ key }) => key)];
  // Providers are known only after the project has resolved.
  if (known.length === 1) return;
  for (const { refused, admitted, keys, at } of rules) {
    const ofVisitors = [...refused, ...admitted].flatMap(({ name, ctx }) =>
      Object.keys(ctx).map((key) => [`visitor("${name}") has`, key] as const),
    );
    for (const [subject, key] of [...ofVisitors, ...keys.map((one) => ['reads() names', one] as const)])
      if (!known.includes(key))
        throw new BootError({
          ...placeIn(project, file)(at),
          message: `${subject} ctx.${key}, which nothing provides. Known keys: ${known.join(', ')}.`,
          code: MISTAKE,
        });
  }
}

/** Where something was written: the innermost place in the project of an error that was made there, or `file`. */
const placeIn =
  (project: Project, file: string) =>
  (at: Error): { readonly file: string; readonly line?: number } => {
    const excerpt = explain(at, project.root).traces[0].excerpt;
    return excerpt ? { file: excerpt.file, line: excerpt.line } : { file: project.display(file) };
  };

/** Checks routes against a policy without requests. `project` knows where files are. */
export function checkPolicy(
  { policy, entry }: ReadPolicy,
  routes: readonly BaseRoute[],
  project: Project,
  reads?: Reads,
): readonly Checked[] {
  const targets = targetsOf(routes);
  const facts = {
    table: new Table(targets),
    guards: new Guards([
      ...middlewaresOf(project).map(({ file }) => file),
      // Plugins may have layers of their own in files.
      ...targets.flatMap(({ chain }) => chain),
    ]),
    reads,
    display: (file: string) => project.display(file),
    placeOf: placeIn(project, entry.file),
  };
  return policy.rules.map((rule) => new RuleCheck(rule, facts));
}
