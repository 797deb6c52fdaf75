import type { Clock } from '../../kernel/index.js';
import type { Computed } from './compute.js';
import type { Entry } from './entries.js';
import { type CacheMeta, lifetimeOf } from './meta.js';
import type { SharedEntries } from './shared-entries.js';

/** Seconds since a response was computed. */
export const ageOf = ({ at }: Entry, clock: Clock): number => (clock.now() - at) / 1000;

interface Search {
  readonly tags: readonly string[];
  readonly meta: CacheMeta;
  readonly acceptable: number;
  readonly clock: Clock;
  run(): Promise<Computed>;
  isPurged(): boolean;
}

/** What another process has computed, or what `run` computes, which others find then. */
export async function findOrRun(
  shared: SharedEntries,
  key: string,
  { tags, meta, acceptable, clock, run, isPurged }: Search,
): Promise<Computed> {
  const found = await shared.get(key);
  if (found && ageOf(found, clock) < acceptable) return { entry: found };
  const marks = await shared.begin(tags);
  const made = await run();
  if ('entry' in made && marks && !isPurged()) void shared.set(key, made.entry, marks, lifetimeOf(meta));
  return made;
}
