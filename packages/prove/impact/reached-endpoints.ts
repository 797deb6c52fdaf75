import { readinessPathOf } from 'fwkit/http';
import type { Project } from 'fwkit/plugin';
import { fileOf, idOf, type UnitId } from '../facts/facts.js';
import { HEALTH } from '../facts/units.js';
import type { Graph } from '../graph/graph.js';
import type { Endpoints } from './endpoint-changes.js';
import { type Endpoint, hasFile } from './endpoints.js';
import { isTestFile } from './file-kinds.js';
import { isSame, type Slice, sliceOf, withoutHandler } from './slice.js';
import type { ChangedUnits, Spread, Versions } from './spread.js';
import type { BothVersions, SourceChange } from './versions.js';

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

/** The changed files that no endpoint leads to, in neither version. */
export function unreached(
  changes: readonly SourceChange[],
  changed: ChangedUnits,
  versions: Versions,
  endpoints: readonly Endpoint[],
): string[] {
  const files = [...new Set(endpoints.flatMap(({ file, chain }) => [file, ...chain]))];
  const isAsked = (graph: Graph, units: readonly UnitId[]): boolean => {
    if (units.length === 0) return false;
    const reaching = graph.whoReaches(units);
    return files.some((file) => graph.rootsOf(file).some((id) => reaching.has(id)));
  };
  return changes
    .filter(({ file, source }) => {
      const own = (units: ReadonlySet<UnitId>) => [...units].filter((id) => fileOf(id) === source);
      return (
        !isTestFile(file) &&
        !isAsked(versions.after, own(changed.after)) &&
        !isAsked(versions.before, own(changed.before))
      );
    })
    .map(({ file }) => file);
}

/** The kind of the routes that `openapi` adds, and which of them has the document: the page beside it is the same for all. */
const OPENAPI = 'openapi';
const DOCUMENT = /\.json$/;

/** The export of a middleware that says how clients are identified. */
const SECURITY = 'security';

/**
 * The routes that tell of others, and are answered otherwise: the OpenAPI document, of a route that comes or goes, or of what one says of
 * itself beside its handler. Each with why.
 */
export function describing(
  { now, came, gone }: Endpoints,
  versions: Versions,
  spreads: readonly Spread[],
  whole: ReadonlySet<string>,
): Map<Endpoint, string> {
  const documents = now.filter(({ kind, address }) => kind === OPENAPI && DOCUMENT.test(address?.path ?? ''));
  if (documents.length === 0) return new Map();
  const isListed = ({ kind, address, group }: Endpoint): boolean =>
    address !== undefined && kind !== OPENAPI && group !== 'sockets';
  const other = [...came, ...gone].find(isListed);
  const described =
    other ?? now.find((one) => isListed(one) && isToldOtherwise(one, versions, spreads, whole));
  if (!described) return new Map();
  return new Map(documents.map((document) => [document, `describes ${described.label}`]));
}

function isToldOtherwise(
  { file, chain }: Endpoint,
  { before, after }: Versions,
  spreads: readonly Spread[],
  whole: ReadonlySet<string>,
): boolean {
  const has = (id: UnitId): boolean => spreads.some((spread) => spread.has(id));
  if (chain.some((one) => has(idOf(one, SECURITY)))) return true;
  if (!spreads.some((spread) => spread.reachesRoot(file))) return false;
  if (whole.has(file)) return true;
  const [then, now] = [definitionIn(before, file), definitionIn(after, file)];
  return !then || !now || !isSame(then, now) || now.mentions.some(has) || then.mentions.some(has);
}

function definitionIn(graph: Graph, file: string): Slice | undefined {
  const text = graph.modules.get(file)?.text;
  const rest = text === undefined ? undefined : withoutHandler(file, text);
  return rest === undefined ? undefined : sliceOf(graph, idOf(file, 'default'), rest);
}

/**
 * The readiness probe, which is in no list of routes. None where it is answered nowhere, or by a route of the project, and where no
 * service says whether it is well, in neither version.
 */
export function readinessOf(
  project: Project,
  { before, after, providers }: BothVersions,
  served: readonly Endpoint[],
): Endpoint[] {
  const path = readinessPathOf(project);
  if (path === undefined || served.some(({ address }) => address?.path === path)) return [];
  const told = providers.filter(({ hasHealth }) => hasHealth).map(({ file }) => file);
  const checks = [...new Set([...told, ...checkedIn(after), ...checkedIn(before)])].sort();
  if (checks.length === 0) return [];
  return [
    {
      group: 'routes',
      kind: 'health',
      label: `GET ${path}`,
      file: 'plugin "health"',
      chain: [],
      checks,
      address: { method: 'GET', path },
      name: undefined,
    },
  ];
}

/** The files of services whose check can be read. */
const checkedIn = (graph: Graph): string[] =>
  [...graph.providers.values()].filter((file) =>
    graph
      .exported(file, 'default')
      .some((id) => graph.modules.get(fileOf(id))?.units.has(HEALTH) && id === idOf(fileOf(id), 'default')),
  );
