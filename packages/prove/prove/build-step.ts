import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type BaseRoute,
  BootError,
  type CommandRun,
  type Project,
  type ProjectPaths,
  type Resolved,
} from 'fwkit/plugin';
import { checkPolicy, readPolicy } from '../policy/check-policy.js';
import { bareOf } from '../policy/targets.js';
import { printed } from '../report/index.js';
import { outcomeOf } from './baseline.js';
import { findReads } from './reads.js';

/** Part of each `fwk build`: the static part of the policy. Throws a BootError if the policy is violated. */
export async function run(command: CommandRun, { routes: compiled }: Resolved): Promise<void> {
  const began = performance.now();
  if (!hasPolicy(command.paths())) return;
  // The policy names sources, and users fix sources. The policy itself need not be compiled.
  const project = (await command.open()).discover();
  try {
    const routes = compiled.map(asInSources(project));
    const read = await readPolicy(project);
    const checked = checkPolicy(read, routes, project, await findReads(read, { project, routes }));
    const outcome = await outcomeOf({ checked, routes, root: command.paths().root, began, isWhole: false });
    const { length } = outcome.rules.flatMap(({ findings }) => findings);
    if (length === 0) return;
    for (const line of printed(outcome, 'terminal')) console.log(line);
    throw new BootError({
      file: project.display(read.entry.file),
      message: `is violated: ${length === 1 ? '1 finding' : `${length} findings`}, listed above. Fix the routes, or correct the policy.`,
      code: 'FWK861',
    });
  } finally {
    await project.close();
  }
}

/** Checked first, because opening the sources takes as long as the rest of the step. */
const hasPolicy = ({ source }: ProjectPaths): boolean =>
  ['ts', 'mts', 'js', 'mjs'].some((end) => existsSync(join(source, `policy.${end}`)));

/** Compiled routes with the names of their sources. */
function asInSources(project: Project): (route: BaseRoute) => BaseRoute {
  const sources = new Map(project.entries.map(({ file }) => [bareOf(file), file]));
  const sourceOf = (file: string): string => sources.get(bareOf(file)) ?? file;
  const named = <One extends { readonly file: string }>(one: One): One => ({
    ...one,
    file: sourceOf(one.file),
  });
  return (route) => ({
    ...named(route),
    ...(route.chain ? { chain: route.chain.map(sourceOf) } : {}),
    ...(route.members ? { members: route.members.map(named) } : {}),
  });
}
