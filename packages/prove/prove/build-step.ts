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
import { bareOf, targetsOf } from '../policy/targets.js';
import { printed } from '../report/index.js';
import { rulesOf } from '../report/outcome.js';

/** Part of each `fwk build`: what of the policy can be said without a request. Throws a BootError where it does not hold. */
export async function run(command: CommandRun, { routes: compiled }: Resolved): Promise<void> {
  const began = performance.now();
  // Of the sources: those are what people can fix, and what the policy names. It need not be compiled itself.
  if (!hasPolicy(command.paths())) return;
  const project = (await command.open()).discover();
  try {
    const routes = compiled.map(asInSources(project));
    const read = await readPolicy(project);
    const rules = rulesOf(checkPolicy(read, routes, project));
    const count = rules.reduce((sum, rule) => sum + rule.findings.length, 0);
    if (count === 0) return;
    const milliseconds = performance.now() - began;
    const outcome = { rules, targets: targetsOf(routes), requests: 0, isProbed: false, milliseconds };
    for (const line of printed(outcome, 'terminal')) console.log(line);
    const what = count === 1 ? 'one thing' : `${count} things`;
    throw new BootError({
      file: project.display(read.entry.file),
      message: `does not hold: ${what}, listed above. Fix the routes, or correct the policy.`,
      code: 'FWK861',
    });
  } finally {
    await project.close();
  }
}

/** Looked up by itself: to open the sources takes as long as the rest of the step. */
const hasPolicy = ({ source }: ProjectPaths): boolean =>
  ['ts', 'mts', 'js', 'mjs'].some((end) => existsSync(join(source, `policy.${end}`)));

/** Routes of what was compiled, with the names of their sources. */
function asInSources(project: Project): (route: BaseRoute) => BaseRoute {
  const sources = new Map(project.entries.map(({ file }) => [bareOf(file), file]));
  const sourceOf = (file: string): string => sources.get(bareOf(file)) ?? file;
  return (route) => ({
    ...route,
    file: sourceOf(route.file),
    ...(route.chain ? { chain: route.chain.map(sourceOf) } : {}),
    ...(route.members
      ? { members: route.members.map((member) => ({ ...member, file: sourceOf(member.file) })) }
      : {}),
  });
}
