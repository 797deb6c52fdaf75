import { METHOD_OF_SUFFIX, type Method } from 'fwkit/http';
import { parseSync } from 'oxc-parser';
import { isAuthFile } from '../files-before.js';
import { importedBy } from '../graph/imported.js';
import { resolveNames } from '../graph/names.js';
import { bare } from '../graph/syntax.js';
import type { Endpoint, Group } from './endpoints.js';

/** A module as it was, or that cannot be imported: what it serves is read from its path and its text. */
export interface Unserved {
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
export function formerEndpoint({ file, text }: Unserved, others: readonly Endpoint[]): Endpoint | undefined {
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
export const formerMetadata = (file: string): Endpoint[] =>
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
