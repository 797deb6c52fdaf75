import type { Resolved } from 'fwkit/plugin';
import type { Reads } from '../policy/check.js';
import type { ReadPolicy } from '../policy/check-policy.js';

/** The keys of ctx that each route and everything before it read; undefined if no rule asks for it. */
export async function findReads(
  { policy }: ReadPolicy,
  resolved: Pick<Resolved, 'project' | 'routes'>,
): Promise<Reads | undefined> {
  if (policy.rules.every(({ keys }) => keys.length === 0)) return undefined;
  const { survey } = await import('../reach/survey.js');
  const { routes } = await survey(resolved);
  return new Map(routes.map(({ route, ctx }) => [route, new Set(ctx)]));
}
