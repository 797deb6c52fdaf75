import type { ProviderInfo } from 'fwkit/plugin';
import type { Graph, UnitId } from '../graph/index.js';
import { type Endpoints, unguarded } from './came-and-went.js';
import type { ChangedUnits, Versions } from './changed-units.js';
import type { Endpoint } from './endpoints.js';
import { renderingUnits, unitsWithPackages } from './seeds.js';
import { SessionSpread, unitsIn } from './session-spread.js';
import { SessionValues } from './session-values.js';
import { SessionWrites } from './session-writes.js';
import { Spread } from './spread.js';
import type { SourceChange } from './versions.js';

/** What a change is, as far as it is known before it spreads. */
export interface Beginnings {
  readonly changes: readonly SourceChange[];
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
  { changes, units, edited, whole, views, packages }: Beginnings,
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
    const asked = version === 'after' ? endpoints.now : guarded(endpoints.before, changes);
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

/** Endpoints with the middlewares around them that are gone. */
function guarded(endpoints: readonly Endpoint[], changes: readonly SourceChange[]): readonly Endpoint[] {
  const gone = changes.map(
    (change) => [change.source, unguarded(endpoints, [change], (file) => file)] as const,
  );
  return endpoints.map((endpoint) => {
    const before = gone.filter(([, passed]) => passed.has(endpoint)).map(([file]) => file);
    return before.length === 0 ? endpoint : { ...endpoint, chain: [...before, ...endpoint.chain] };
  });
}
