import { directoriesOf, isHttpRoute } from 'fwkit/http';
import { isAuthFile } from '../files-before.js';
import { type Address, Addresses } from './addresses.js';
import { type Endpoint, hasFile } from './endpoints.js';
import { formerEndpoint, formerMetadata } from './former.js';
import { isAdded, isDeleted, type SourceChange } from './versions.js';

/** What can be asked of a project, in both versions. */
export interface Endpoints {
  /** Those that there are; of what cannot be imported, those that its path and text foretell. */
  readonly now: readonly Endpoint[];
  readonly before: readonly Endpoint[];
  readonly came: readonly Endpoint[];
  readonly gone: readonly Endpoint[];
}

/** `served`: those of the project as it is; `unserved`: claimed modules that serve nothing, since something keeps them from being imported. */
export function bothEndpoints(
  served: readonly Endpoint[],
  unserved: readonly { readonly file: string; readonly text: string }[],
  changes: readonly SourceChange[],
): Endpoints {
  const now = [...served, ...unserved.flatMap((module) => formerEndpoint(module, served) ?? [])];
  const came: Endpoint[] = [];
  const gone: Endpoint[] = [];
  for (const change of changes) {
    const { source, before } = change;
    const own = now.filter(({ file }) => file === source);
    if (isAdded(change)) came.push(...own);
    const former =
      before === undefined ? undefined : formerEndpoint({ file: source, text: before.toString() }, now);
    if (isDeleted(change)) gone.push(...(former ? [former] : []), ...formerMetadata(source));
    // The method of a route may be in its text alone.
    const isOther = (one: Endpoint): boolean =>
      one.address !== undefined &&
      former?.address !== undefined &&
      one.address.method !== former.address.method;
    if (former && own.length === 1 && own.some(isOther)) {
      came.push(...own);
      gone.push(former);
    }
  }
  const mcp = now.find(({ kind, file }) => kind === 'mcp' && file === MCP_DIRECTORY);
  const led = now.filter((one) => one !== mcp && one.route === mcp?.route);
  if (mcp && led.length > 0 && led.every((one) => came.includes(one))) came.push(mcp);
  if (!mcp && gone.some(({ file }) => file.startsWith(MCP_DIRECTORY))) gone.push(FORMER_MCP);
  const before = [...now.filter((one) => !came.includes(one)), ...gone];
  return { now, before, came, gone };
}

/** The endpoint of MCP, which comes with the first file of this directory, and goes with the last. */
const MCP_DIRECTORY = 'mcp/';
const FORMER_MCP: Endpoint = {
  group: 'routes',
  kind: 'mcp',
  label: 'MCP /mcp',
  file: MCP_DIRECTORY,
  chain: [],
  address: { method: 'ALL', path: '/mcp' },
  name: undefined,
};

type Addressed = Address & { readonly endpoint: Endpoint };

const addressesOf = (endpoints: readonly Endpoint[]): Addresses<Addressed> =>
  new Addresses(
    endpoints.flatMap((endpoint) => (endpoint.address ? [{ ...endpoint.address, endpoint }] : [])),
  );

/** The endpoints whose URLs others answer, or answered: each with why. */
export function neighbours({ now, before, came, gone }: Endpoints): Map<Endpoint, string> {
  const found = new Map<Endpoint, string>();
  const look = (
    of: readonly Endpoint[],
    among: readonly Endpoint[],
    why: (label: string) => string,
  ): void => {
    if (of.length === 0) return;
    const addresses = addressesOf(among);
    for (const { address, label } of of)
      for (const { endpoint } of address ? addresses.answering(address) : [])
        if (!found.has(endpoint)) found.set(endpoint, why(label));
  };
  for (const one of came)
    if (one.file === MCP_DIRECTORY) found.set(one, 'leads to what is new, and to nothing else');
  look(came, before, (label) => `answered URLs of ${label}, which is new`);
  look(gone, now, (label) => `answers URLs of ${label}, which is gone`);
  return found;
}

const MIDDLEWARE = /^middlewares\/|(^|\/)_middleware\.\w+$/;

/** The endpoints that a middleware was around which is gone, or the check of who may ask: each with why. */
export function unguarded(
  endpoints: readonly Endpoint[],
  changes: readonly SourceChange[],
  display: (file: string) => string,
): Map<Endpoint, string> {
  const found = new Map<Endpoint, string>();
  for (const change of changes) {
    const { source } = change;
    const isAuth = isAuthFile(source);
    if (!isDeleted(change) || !(isAuth || MIDDLEWARE.test(source))) continue;
    const directory = source.startsWith('middlewares/') ? '' : source.slice(0, source.lastIndexOf('/') + 1);
    for (const endpoint of endpoints)
      if ((isAuth ? endpoint.route?.kind === 'mcp' : isBelow(endpoint, directory)) && !found.has(endpoint))
        found.set(endpoint, `passed ${display(source)}, which is gone`);
  }
  return found;
}

function isBelow(endpoint: Endpoint, directory: string): boolean {
  const { route, file, checks } = endpoint;
  if (checks) return false;
  if (route && !isHttpRoute(route)) return false;
  if (directory === '') return true;
  if (route && isHttpRoute(route) && directoriesOf(route).some((one) => one.startsWith(directory)))
    return true;
  return hasFile(endpoint) && file.startsWith(directory);
}
