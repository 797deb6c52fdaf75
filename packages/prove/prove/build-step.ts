import { type BaseRoute, BootError, type CommandRun, type Project, type Resolved } from 'fwkit/plugin';
import { printed } from '../report/index.js';
import { blocksOf } from '../report/terminal.js';
import { rulesOf } from './outcome.js';
import { policyFiles, readPolicy } from './read-policy.js';
import { checkPolicy } from './static-part.js';
import { bareOf, targetsOf } from './targets.js';

/** Part of each `fwk build`: what of the policy can be said without a request. Throws a BootError where it does not hold. */
export async function run(command: CommandRun, { routes: compiled }: Resolved): Promise<void> {
  const began = performance.now();
  // Of the sources: those are what people can mend, and what the policy names.
  const project = (await command.open()).discover();
  try {
    if (policyFiles(project).length === 0) return;
    const routes = compiled.map(asInSources(project));
    const read = await readPolicy(project);
    const rules = rulesOf(checkPolicy(read, routes, project));
    const count = rules.reduce((sum, rule) => sum + blocksOf(rule).length, 0);
    if (count === 0) return;
    const milliseconds = performance.now() - began;
    const outcome = { rules, targets: targetsOf(routes), requests: 0, isProbed: false, milliseconds };
    for (const line of printed(outcome, 'terminal')) console.log(line);
    const what = count === 1 ? 'one thing' : `${count} things`;
    throw new BootError({
      file: project.display(read.entry.file),
      message: `does not hold: ${what}, listed above. Mend the routes, or correct the policy.`,
      code: 'FWK861',
    });
  } finally {
    await project.close();
  }
}

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
