import type { ProviderInfo } from 'fwkit/plugin';
import { fileOf, idOf, type UnitId } from '../facts/facts.js';
import { ALL } from '../facts/flow.js';
import type { Graph } from '../graph/graph.js';
import type { Endpoint } from './endpoints.js';
import type { Spread } from './spread.js';

/** What holds data that one request may leave for another. */
export interface Store {
  /** Its key of `ctx`, or its file. */
  readonly name: string;
  /** Whoever reaches one of these may read it. */
  readonly units: ReadonlySet<UnitId>;
}

/** Values of the framework that hold nothing. */
const WITHOUT_DATA = new Set(['logger']);

/** The methods whose requests ask for no change (RFC 9110 §9.2.1). */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether requests for it may leave something behind. */
const mayWrite = ({ group, address }: Endpoint): boolean =>
  group === 'sockets' || address === undefined || !SAFE.has(address.method);

/**
 * The stores that what changed, and what `reached` endpoints do, may write to, and who of the `others` may read them. Of a provider
 * that cannot be split it is not known which members write; what a module keeps is one, where a unit that changes it is led to.
 */
export function sharedData(
  graph: Graph,
  providers: readonly ProviderInfo[],
  spread: Spread,
  reached: ReadonlySet<Endpoint>,
  others: readonly Endpoint[],
): Map<Store, Endpoint[]> {
  const writing = [...reached].filter(mayWrite).flatMap(({ file, chain }) => [file, ...chain]);
  const led = graph.reachOf([...spread.seeds, ...writing.flatMap((file) => graph.rootsOf(file))]);
  const isBlind = graph.leavesOf(led.units).blind.length > 0;
  const stores = [
    ...providerStores(graph, providers, led.touched, isBlind),
    ...moduleStores(graph, led.units),
  ];
  const found = new Map<Store, Endpoint[]>();
  for (const store of stores) {
    const readers = graph.whoReaches(store.units);
    const all = others.filter(({ file, chain }) =>
      [file, ...chain].some((one) => graph.rootsOf(one).some((id) => readers.has(id))),
    );
    if (all.length > 0) found.set(store, all);
  }
  return found;
}

function* providerStores(
  graph: Graph,
  providers: readonly ProviderInfo[],
  touched: ReadonlySet<string>,
  isBlind: boolean,
): Generator<Store> {
  for (const { key, file, lifetime } of providers.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    if (!touched.has(key) || WITHOUT_DATA.has(key)) continue;
    const facts = graph.modules.get(file);
    if (!facts) {
      // Of a plugin: what it does is not known.
      yield { name: key, units: readersOf(graph, key) };
      continue;
    }
    // What is made for one request ends with it; what sessions keep is followed, unless ctx goes out of sight.
    const isStore = lifetime === 'session' ? isBlind : lifetime === 'singleton' && facts.members.length === 0;
    if (isStore) yield { name: key, units: new Set(graph.behind(key)) };
  }
}

function readersOf(graph: Graph, key: string): Set<UnitId> {
  const all = [...graph.modules.values()].flatMap(({ file, units }) =>
    [...units.keys()].map((unit) => idOf(file, unit)),
  );
  return new Set(all.filter((id) => graph.reads(id).some((read) => read.key === key || read.key === ALL)));
}

/** Modules with something that changes, where a unit is led to that changes it. */
function* moduleStores(graph: Graph, led: ReadonlySet<UnitId>): Generator<Store> {
  for (const file of [...new Set([...led].map(fileOf))].sort()) {
    const facts = graph.modules.get(file);
    if (!facts || facts.error) continue;
    const isState = [...facts.units.values()].some((unit) => unit.isState);
    if (!isState && facts.members.length === 0) continue;
    const { writers, users, made } = facts.state();
    // Of a service, what it made for its members is no unit by itself.
    const kept = [...writers].filter(([state]) => isState || made.has(state));
    const written = kept.filter(([, units]) => [...units].some((unit) => led.has(idOf(file, unit))));
    const units = new Set(
      written.flatMap(([state]) => [...(users.get(state) ?? [])]).map((unit) => idOf(file, unit)),
    );
    const key = [...graph.providers].find(([, one]) => one === file)?.[0];
    if (units.size > 0) yield { name: key ?? file, units };
  }
}
