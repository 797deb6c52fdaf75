import { type HttpRoute, isHttpRoute, METHOD_OF_SUFFIX } from 'fwkit/http';
import { type BaseRoute, isObject, type Project } from 'fwkit/plugin';

export type Group = 'routes' | 'pages' | 'sockets' | 'tools' | 'jobs' | 'files';

/** A part of the app that a client or the clock can call. Files are relative to the root. */
export interface Endpoint {
  readonly group: Group;
  readonly kind: string;
  /** `GET /api/users/:id`, `TOOL users_find`. */
  readonly label: string;
  /** `plugin "health"` if the endpoint has no file. */
  readonly file: string;
  /** The middlewares and the MCP authorization that run before it, outermost first, and the page that shows its form again. */
  readonly before: readonly string[];
  readonly method?: string;
  /** The path of its URLs: `/users/:id`, `/docs/*rest`. */
  readonly path?: string;
  readonly name?: string | undefined;
  readonly may?: unknown;
}

/** The route with `tool: true` in a file, if there is one. A call of the tool also passes the middlewares of the route. */
export const routeOfTool = (file: string, routes: readonly BaseRoute[]): HttpRoute | undefined =>
  routes.filter(isHttpRoute).find((route) => route.tool && route.file === file);

/** All endpoints of a project: its routes, and the tools, resources and prompts behind a route. */
export function endpointsOf(project: Project, routes: readonly BaseRoute[]): readonly Endpoint[] {
  const show = (file: string): string => project.display(file);
  const auth = project.entries
    .map(({ file }) => show(file))
    .filter((one) => /(^|\/)mcp\/auth\.m?[jt]s$/.test(one));
  return routes.flatMap((route): Endpoint[] => {
    const { kind, label, members = [], protocol } = route;
    const { name, meta } = route as { name?: string; meta?: unknown };
    const isMcp = protocol === 'mcp' || kind === 'mcp';
    const before = [...(route.chain ?? []).map(show), ...(isMcp ? auth : [])];
    const group = isHttpRoute(route) ? (GROUPS[kind] ?? 'routes') : protocol === 'mcp' ? 'routes' : 'jobs';
    const http = isHttpRoute(route) ? { method: route.method, path: route.path } : {};
    const { may, form } = isObject(meta) ? (meta as { may?: unknown; form?: unknown }) : {};
    const page = `GET ${label.slice(label.indexOf(' ') + 1)}`;
    if (form) before.push(...routes.flatMap((one) => (one.label === page ? show(one.file) : [])));
    const inner = members.map((one): Endpoint => {
      const chain = [...new Set([...before, ...(routeOfTool(one.file, routes)?.chain ?? []).map(show)])];
      return { ...one, group: 'tools', file: show(one.file), before: chain };
    });
    return kind === 'none'
      ? []
      : [{ group, kind, label, file: show(route.file), before, name, may, ...http }, ...inner];
  });
}

const GROUPS: Readonly<Record<string, Group>> = {
  api: 'routes',
  web: 'pages',
  ws: 'sockets',
  cron: 'jobs',
  queues: 'jobs',
};

/** The endpoint that a deleted file was, by its path in the source directory and its text. */
export function formerEndpoint(source: string, file: string, text: string): Endpoint | undefined {
  const [, directory, stem] = /^(api|web|ws|mcp\/\w+|cron|queues)\/(.*)\.\w+$/.exec(source) ?? [];
  if (directory === undefined || stem === undefined) return undefined;
  if (/(^|\/)[._][^/]*$|\.(d|test|spec)$/.test(stem)) return undefined;
  const group = GROUPS[directory] ?? 'tools';
  const isHttp = directory === 'api' || directory === 'web';
  const verb = directory.replace(/^mcp\/|(?<=..)s$/g, '').toUpperCase();
  const kind = isHttp ? directory : verb.toLowerCase();
  if (!isHttp && directory !== 'ws')
    return { group, kind, label: `${verb} ${stem}`, file, before: [], name: stem };
  const suffixes = Object.keys(METHOD_OF_SUFFIX).join('|');
  const parts = isHttp ? new RegExp(`^(.*?)(?:^|[./])(${suffixes})$`).exec(stem) : undefined;
  const [, bare = stem, suffix = ''] = parts ?? [];
  const wrapper = /export default (\w+)\(/.exec(text)?.[1] ?? '';
  const called = METHOD_OF_SUFFIX[suffix] ?? METHOD_OF_SUFFIX[wrapper] ?? 'ALL';
  const method = /^(sse|ws)$/.test(wrapper) ? 'GET' : called;
  const all = [directory === 'web' ? '' : directory, ...bare.split('/')];
  const segments = all.filter((one) => !/^(index|\(.*\)|)$/.test(one));
  const path = `/${segments.join('/')}`.replace(/\[\.\.\.(\w+)\]/g, '*$1').replace(/\[([\w$]+)\]/g, ':$1');
  return { group, kind, label: `${isHttp ? method : verb} ${path}`, file, before: [], method, path };
}

/** Whether a URL may match both paths. `isOpen`: `a` may be only the start of a path. */
export function overlaps(a: string, b: string, isOpen = false): boolean {
  const [one, other] = [a.split('/'), b.split('/')];
  for (const [at, left] of one.entries()) {
    const right = other[at];
    const isLast = isOpen && at === one.length - 1;
    if (left.startsWith('*') || right?.startsWith('*') || (isLast && left === '')) return true;
    const isStart = isLast && right?.startsWith(left);
    if (left !== right && (right === undefined || !(/^:/.test(left) || right.startsWith(':') || isStart)))
      return false;
  }
  return isOpen || one.length === other.length || other[one.length]?.startsWith('*') === true;
}
