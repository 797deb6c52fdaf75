import type { Project } from 'fwkit/plugin';
import { type Endpoint, hasFile } from './endpoints.js';
import type { Spread } from './spread.js';

/** Kinds of files that no route of their own is made of: who reads them is known otherwise. */
const PARTS = new Set(['service', 'di', 'middleware', 'directory-middleware', 'policy']);

/** The endpoints whose code is reached, and the file where that begins. */
export function reachedEndpoints(
  project: Pick<Project, 'entries'>,
  spread: Spread,
  endpoints: readonly Endpoint[],
): Map<Endpoint, string> {
  const roots = new Map<string, boolean>();
  const isReached = (file: string): boolean => {
    const known = roots.get(file) ?? spread.reachesRoot(file);
    roots.set(file, known);
    return known;
  };
  const found = new Map<Endpoint, string>();
  for (const endpoint of endpoints) {
    const checked = endpoint.checks?.find((file) => spread.reachesCheck(file));
    const first = [endpoint.file, ...endpoint.chain].find(isReached) ?? checked;
    if (first !== undefined) found.set(endpoint, first);
  }
  for (const [endpoint, file] of madeOf(project, endpoints, isReached))
    if (!found.has(endpoint)) found.set(endpoint, file);
  return found;
}

/** What plugins make of files that are no routes: such a file reaches the routes of its kind, or else those that are of no file. */
function madeOf(
  { entries }: Pick<Project, 'entries'>,
  endpoints: readonly Endpoint[],
  isReached: (file: string) => boolean,
): [Endpoint, string][] {
  const own = new Set(endpoints.map(({ file }) => file));
  const parts = entries.filter(({ kind, file }) => !own.has(file) && !PARTS.has(kind) && isReached(file));
  return parts.flatMap(({ kind, file }) => {
    const ofKind = endpoints.filter(
      (one) => one.kind === kind || one.file === `plugin "${kind}"` || one.route?.kind === kind,
    );
    const all = ofKind.length > 0 ? ofKind : endpoints.filter((one) => !hasFile(one));
    return all.map((endpoint): [Endpoint, string] => [endpoint, file]);
  });
}
