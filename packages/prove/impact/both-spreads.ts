import type { ProviderInfo } from 'fwkit/plugin';
import type { Graph, UnitId } from '../graph/index.js';
import type { Endpoints } from './came-and-went.js';
import type { ChangedUnits, Versions } from './changed-units.js';
import { renderingUnits, unitsWithPackages } from './seeds.js';
import { SessionSpread, unitsIn } from './session-spread.js';
import { SessionValues } from './session-values.js';
import { SessionWrites } from './session-writes.js';
import { Spread } from './spread.js';

/** What a change is, as far as it is known before it spreads. */
export interface Beginnings {
  readonly units: ChangedUnits;
  /** Files whose text is another. */
  readonly edited: ReadonlySet<string>;
  /** Those of them that count as changed whatever they say. */
  readonly whole: ReadonlySet<string>;
  /** Views that lead to templates that changed, and packages of another version. */
  readonly views: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
}

/** How far a change goes in the version after it, and in the one before where that is another. */
export function spreadsOf(
  versions: Versions & { readonly providers: readonly ProviderInfo[] },
  endpoints: Endpoints,
  { units, edited, whole, views, packages }: Beginnings,
): readonly [after: Spread, ...before: Spread[]] {
  const writesIn = (graph: Graph): SessionWrites =>
    new SessionWrites(graph, new SessionValues(graph, versions.providers));
  const after = writesIn(versions.after);
  const isOne = versions.before === versions.after;
  const before = isOne ? after : writesIn(versions.before);
  const spreadIn = (version: 'before' | 'after', own: SessionWrites, other: SessionWrites): Spread => {
    const graph = versions[version];
    const changed = units[version];
    const withPackages = unitsWithPackages(graph, packages);
    const seeds = new Set<UnitId>([...changed, ...renderingUnits(graph, views), ...withPackages]);
    const otherwise = new Set([...unitsIn(changed, whole), ...withPackages]);
    const asked = version === 'after' ? endpoints.now : endpoints.before;
    return new Spread(
      graph,
      seeds,
      edited,
      new SessionSpread(graph, own, other, { changed, otherwise }, asked),
    );
  };
  const now = spreadIn('after', after, before);
  return isOne ? [now] : [now, spreadIn('before', before, after)];
}
