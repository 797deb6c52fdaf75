import { isHttpRoute, middlewaresOf } from 'fwkit/http';
import type { BaseRoute, Project } from 'fwkit/plugin';
import { checkRule } from './check.js';
import type { Checked } from './facts.js';
import { Guards } from './guards.js';
import { fileOf } from './places.js';
import { placeIn, type ReadPolicy } from './read-policy.js';
import { Table } from './select.js';
import { targetsOf } from './targets.js';

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
