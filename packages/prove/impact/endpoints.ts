import { isHttpRoute } from 'fwkit/http';
import type { BaseRoute, Project } from 'fwkit/plugin';
import { filesBefore } from '../files-before.js';
import type { Address } from './addresses.js';

/** The part of a report that an endpoint is listed in. */
export type Group = 'routes' | 'pages' | 'sockets' | 'tools' | 'jobs' | 'files';

/** What somebody outside, or the time, can ask of the app. */
export interface Endpoint {
  readonly group: Group;
  /** As the framework calls it: `api`, `web`, `ws`, `tool`, `cron`. */
  readonly kind: string;
  /** `GET /api/users/:id`, `TOOL users_find`. */
  readonly label: string;
  /** Relative to the source directory; `plugin "health"` where no file is behind it. */
  readonly file: string;
  /** Files that run before it: middlewares, and who may ask over MCP. */
  readonly chain: readonly string[];
  /** Absent where no URL of its own leads to it. */
  readonly address: Address | undefined;
  /** Its name for clients, of a tool, or for people, of a job. */
  readonly name: string | undefined;
  /** Of the readiness probe: the files of the services that it asks. No layer is around it. */
  readonly checks?: readonly string[];
  /** What serves it; absent for one that is no more, or that cannot be imported. */
  readonly route?: BaseRoute;
}

/** What stands for URLs that no route answers, so that middlewares run there. */
const NO_ROUTE = 'none';

/** All endpoints of a project: its routes, and what is behind a route that leads to several. */
export function endpointsOf(routes: readonly BaseRoute[], project: Pick<Project, 'entries'>): Endpoint[] {
  const served = routes.filter(({ kind }) => kind !== NO_ROUTE);
  return served.flatMap((route) => {
    const chain = filesBefore(route, project);
    return [ofRoute(route, chain), ...(route.members ?? []).map((member) => ofMember(route, member, chain))];
  });
}

function ofRoute(route: BaseRoute, chain: readonly string[]): Endpoint {
  const { kind, label, file } = route;
  const address = isHttpRoute(route) ? { method: route.method, path: route.path } : undefined;
  const name: unknown = Reflect.get(route, 'name');
  return {
    group: groupOf(route),
    kind,
    label,
    file,
    chain,
    address,
    name: typeof name === 'string' ? name : undefined,
    route,
  };
}

const ofMember = (
  route: BaseRoute,
  member: NonNullable<BaseRoute['members']>[number],
  chain: readonly string[],
): Endpoint => ({
  group: 'tools',
  kind: member.kind,
  label: member.label,
  file: member.file,
  chain: [...new Set([...chain, ...(member.chain ?? [])])],
  address: undefined,
  name: member.name,
  route,
});

function groupOf(route: BaseRoute): Group {
  if (!isHttpRoute(route)) return route.protocol === 'mcp' ? 'routes' : 'jobs';
  if (route.kind === 'ws') return 'sockets';
  return route.kind === 'web' ? 'pages' : 'routes';
}

/** Whether a project file is behind an endpoint. */
export const hasFile = ({ file }: Endpoint): boolean => !file.startsWith('plugin "');
