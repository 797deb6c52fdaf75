import type { Reach } from './describe.js';
import type { Broken } from './may.js';
import { noSuchRoute, selected } from './select.js';
import type { Survey } from './survey.js';

/** What `fwk reach --json` prints. */
export interface Answer {
  readonly version: 1;
  readonly routes: readonly Reach[];
  /** What these routes reach beyond their `may`, and mistakes in it. */
  readonly excess: readonly Broken[];
}

/** What is known of the routes that words mean, of all for none. A text says that no route is meant. */
export function answer({ reachables, describer, broken }: Survey, asked: string): Answer | string {
  const chosen = asked === '' ? reachables : selected(reachables, asked);
  if (asked !== '' && chosen.length === 0) return noSuchRoute(reachables, asked);
  const labels = new Set(chosen.map(({ label }) => label));
  return {
    version: 1,
    routes: chosen.map((one) => describer.reach(one)),
    excess: broken.filter(({ label }) => labels.has(label)),
  };
}
