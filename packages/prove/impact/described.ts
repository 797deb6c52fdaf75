import { type Graph, idOf, type UnitId } from '../graph/index.js';
import type { Endpoints } from './came-and-went.js';
import type { Versions } from './changed-units.js';
import { withoutHandler } from './definition.js';
import type { Endpoint } from './endpoints.js';
import { isSame, type Slice, sliceOf } from './slice.js';
import type { Spread } from './spread.js';

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
