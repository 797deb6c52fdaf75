import { directoriesOf, isHttpRoute, METHOD_OF_SUFFIX, type Method } from 'fwkit/http';
import { parseSync } from 'oxc-parser';
import { importedBy, resolveNames } from '../facts/names.js';
import { bare } from '../facts/syntax.js';
import { isAuthFile } from '../graph/files-before.js';
import { type Address, Addresses, type Endpoint, type Group, hasFile } from './endpoints.js';
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

/** A module as it was, or that cannot be imported: what it serves is read from its path and its text. */
interface Unserved {
  /** Relative to the source directory. */
  readonly file: string;
  readonly text: string;
}

const METHODS: Readonly<Record<string, Method>> = { ...METHOD_OF_SUFFIX, sse: 'GET', ws: 'GET' };

interface Directory {
  readonly mount: string;
  readonly group: Group;
  readonly kind: string;
  /** The first word of a label, where it is not the method. */
  readonly verb: string | undefined;
}

/** Those of the framework, for projects in which nothing else is left there. */
const BUILT_IN: Readonly<Record<string, Directory>> = {
  api: { mount: '/api', group: 'routes', kind: 'api', verb: undefined },
  web: { mount: '', group: 'pages', kind: 'web', verb: undefined },
  ws: { mount: '/ws', group: 'sockets', kind: 'ws', verb: 'WS' },
};

const OTHERS: Readonly<Record<string, readonly [group: Group, kind: string, verb: string]>> = {
  'mcp/tools': ['tools', 'tool', 'TOOL'],
  'mcp/resources': ['tools', 'resource', 'RESOURCE'],
  'mcp/prompts': ['tools', 'prompt', 'PROMPT'],
  cron: ['jobs', 'cron', 'CRON'],
  queues: ['jobs', 'queue', 'QUEUE'],
};

/** What a module served; undefined where it is of no convention that is known. `others`: endpoints of the same project. */
function formerEndpoint({ file, text }: Unserved, others: readonly Endpoint[]): Endpoint | undefined {
  const [top = ''] = file.split('/');
  const name = file.slice(file.lastIndexOf('/') + 1);
  if (!file.includes('/') || /^[._]|\.(d|test|spec|bench)\.\w+$/.test(name)) return undefined;
  const directory = directoryOf(top, others);
  if (directory) return served(file, text, directory);
  const other = Object.entries(OTHERS).find(([start]) => file.startsWith(`${start}/`));
  if (!other) return undefined;
  const [start, [group, kind, verb]] = other;
  const called = file.slice(start.length + 1).replace(/\.\w+$/, '');
  return { group, kind, label: `${verb} ${called}`, file, chain: [], address: undefined, name: called };
}

/** Where the file that says who may ask over MCP told clients to get a token; nothing for other files. */
const formerMetadata = (file: string): Endpoint[] =>
  !isAuthFile(file)
    ? []
    : ['', '/mcp'].map((resource) => {
        const path = `/.well-known/oauth-protected-resource${resource}`;
        const address = { method: 'GET', path } as const;
        return {
          group: 'routes',
          kind: 'mcp-auth',
          label: `GET ${path}`,
          file,
          chain: [],
          address,
          name: undefined,
        };
      });

/** What files of a directory become, as those show that are there. */
function directoryOf(top: string, others: readonly Endpoint[]): Directory | undefined {
  for (const { file, address, group, kind, label } of others) {
    // The endpoint of MCP has the directory itself.
    if (!address || !file.startsWith(`${top}/`) || file.endsWith('/')) continue;
    const path = pathOf(file);
    if (path === undefined || !address.path.endsWith(path === '/' ? '' : path)) continue;
    const mount = address.path.slice(0, address.path.length - (path === '/' ? 0 : path.length));
    const [verb] = label.split(' ');
    return {
      mount: mount === '/' ? '' : mount,
      group,
      kind,
      verb: verb === address.method ? undefined : verb,
    };
  }
  return Object.hasOwn(BUILT_IN, top) ? BUILT_IN[top] : undefined;
}

function served(file: string, text: string, { mount, group, kind, verb }: Directory): Endpoint | undefined {
  const below = pathOf(file);
  if (below === undefined) return undefined;
  const path = `${mount}${below}`.replace(/(.)\/$/, '$1');
  const method = verb === 'WS' ? 'GET' : (METHODS[suffixOf(file)] ?? METHODS[wrapperIn(file, text)] ?? 'ALL');
  const label = `${verb ?? method} ${path}`;
  return { group, kind, label, file, chain: [], address: { method, path }, name: undefined };
}

const stemOf = (file: string): string => file.slice(file.lastIndexOf('/') + 1).replace(/\.\w+$/, '');

function suffixOf(file: string): string {
  const stem = stemOf(file);
  const suffix = stem.slice(stem.lastIndexOf('.') + 1);
  return Object.hasOwn(METHODS, suffix) && !/^(sse|ws)$/.test(suffix) ? suffix : '';
}

/** The path of a URL below the mount: the rules of docs/guide/routing, without its mistakes. */
function pathOf(file: string): string | undefined {
  const suffix = suffixOf(file);
  const stem = stemOf(file);
  const last = suffix === '' ? stem : stem.slice(0, Math.max(stem.length - suffix.length - 1, 0));
  const segments = [...file.split('/').slice(1, -1), ...(last === '' || last === 'index' ? [] : [last])];
  return `/${segments
    .filter((segment) => !/^\([^()]+\)$/.test(segment))
    .map((segment) => segment.replace(/^\[\.\.\.(\w+)\]$/, '*$1').replace(/^\[([\w$]+)\]$/, ':$1'))
    .join('/')}`;
}

/** The function that the default export is made with: `get` in `export default get(…).meta({ … })`. */
function wrapperIn(file: string, text: string): string {
  const { program } = parseSync(file, text);
  const names = resolveNames(program);
  for (const statement of program.body) {
    if (statement.type !== 'ExportDefaultDeclaration') continue;
    let made = bare(statement.declaration);
    while (made.type === 'CallExpression' || made.type === 'MemberExpression') {
      const imported = made.type === 'CallExpression' ? importedBy(made.callee, names) : undefined;
      if (imported) return imported.name;
      made = bare(made.type === 'CallExpression' ? made.callee : made.object);
    }
  }
  return '';
}
