import { isHttpRoute, METHOD_OF_SUFFIX } from 'fwkit/http';
import { type BaseRoute, isObject, type Project } from 'fwkit/plugin';

export type Group = 'routes' | 'pages' | 'sockets' | 'tools' | 'jobs' | 'files';

/** What somebody outside, or the clock, can ask of the app. Files are relative to the root. */
export interface Endpoint {
  readonly group: Group;
  readonly kind: string;
  /** `GET /api/users/:id`, `TOOL users_find`. */
  readonly label: string;
  /** `plugin "health"` if no file is behind it. */
  readonly file: string;
  /** Files that run before it, outermost first: middlewares, and who may ask over MCP. */
  readonly before: readonly string[];
  readonly method?: string;
  /** The path of its URLs: `/users/:id`, `/docs/*rest`. */
  readonly path?: string;
  readonly name?: string | undefined;
  readonly may?: unknown;
}

export const isAuthFile = (file: string): boolean => /(^|\/)mcp\/auth\.m?[jt]s$/.test(file);

/** All endpoints of a project: its routes, and the tools, resources and prompts behind a route. */
export function endpointsOf(project: Project, routes: readonly BaseRoute[]): readonly Endpoint[] {
  const show = (file: string): string => project.display(file);
  const auth = project.entries.map(({ file }) => show(file)).filter(isAuthFile);
  return routes.flatMap((route): Endpoint[] => {
    const { kind, label, file, members = [], protocol } = route;
    const { name, meta } = route as { name?: string; meta?: unknown };
    const before = [...(route.chain ?? []).map(show), ...(protocol === 'mcp' || kind === 'mcp' ? auth : [])];
    const group = isHttpRoute(route) ? (GROUPS_OF[kind] ?? 'routes') : protocol === 'mcp' ? 'routes' : 'jobs';
    const may = isObject(meta) ? meta.may : undefined;
    const own = {
      group,
      kind,
      label,
      file: show(file),
      before,
      name,
      may,
      ...(isHttpRoute(route) ? { method: route.method, path: route.path } : {}),
    };
    const inner = members.map((one): Endpoint => {
      const chain = [...new Set([...before, ...(one.chain ?? []).map(show)])];
      return {
        group: 'tools',
        kind: one.kind,
        label: one.label,
        file: show(one.file),
        before: chain,
        name: one.name,
      };
    });
    return kind === 'none' ? [] : [own, ...inner];
  });
}

const GROUPS_OF: Readonly<Record<string, Group>> = { ws: 'sockets', web: 'pages' };

/** The group of files in a directory, the path that they are served at, and the first word of labels without a method. */
const DIRECTORIES: Readonly<
  Record<string, readonly [group: Group, mount: string | undefined, verb?: string]>
> = {
  'api/': ['routes', '/api'],
  'web/': ['pages', ''],
  'ws/': ['sockets', '/ws', 'WS'],
  'mcp/tools/': ['tools', undefined, 'TOOL'],
  'mcp/resources/': ['tools', undefined, 'RESOURCE'],
  'mcp/prompts/': ['tools', undefined, 'PROMPT'],
  'cron/': ['jobs', undefined, 'CRON'],
  'queues/': ['jobs', undefined, 'QUEUE'],
};

/** The endpoint that a file was, by its path in the source directory and its text. */
export function formerEndpoint(source: string, file: string, text: string): Endpoint | undefined {
  const [start, [group, mount, verb] = []] =
    Object.entries(DIRECTORIES).find(([one]) => source.startsWith(one)) ?? [];
  if (start === undefined || group === undefined || /(^|\/)[._][^/]*$|\.(d|test|spec)\.\w+$/.test(source))
    return undefined;
  const stem = source.slice(start.length).replace(/\.\w+$/, '');
  const kind = verb?.toLowerCase() ?? start.slice(0, -1);
  if (mount === undefined) return { group, kind, label: `${verb} ${stem}`, file, before: [], name: stem };
  const [, bare = '', suffix = ''] = (verb === undefined &&
    /^(.*?)\.?(get|post|put|patch|del|delete|head|options|all)$/.exec(stem)) || ['', stem];
  const wrapper = /export default (\w+)\(/.exec(text)?.[1] ?? '';
  const method =
    METHOD_OF_SUFFIX[suffix] ?? METHOD_OF_SUFFIX[wrapper] ?? (/^(sse|ws)$/.test(wrapper) ? 'GET' : 'ALL');
  const segments = bare.split('/').filter((one) => !/^(index|\(.*\)|)$/.test(one));
  const path = `${mount}/${segments.join('/')}`
    .replace(/\[\.\.\.(\w+)\]/g, '*$1')
    .replace(/\[([\w$]+)\]/g, ':$1')
    .replace(/(.)\/$/, '$1');
  return { group, kind, label: `${verb ?? method} ${path}`, file, before: [], method, path };
}

/** Whether a URL may match both paths. `a` may go on if `isOpen`. */
export function overlaps(a: string, b: string, isOpen = false): boolean {
  const [one = [], other = []] = [a, b].map((path) => path.split('/').slice(1));
  for (let at = 0; ; at++) {
    const [left, right] = [one[at], other[at]];
    const isLast = isOpen && at === one.length - 1;
    if (left?.startsWith('*') || right?.startsWith('*') || (isLast && left === '')) return true;
    if (left === undefined || right === undefined) return left === right || (isOpen && left === undefined);
    const isSame =
      left === right || left.startsWith(':') || right.startsWith(':') || (isLast && right.startsWith(left));
    if (!isSame) return false;
  }
}
