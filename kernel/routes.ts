import type { Project } from './project.js';

/** The part that all routes have in common, whatever their protocol. A plugin extends it with what its protocol needs. */
export interface BaseRoute {
  /** The convention it came from: `api`, `web`, `cron`. */
  readonly kind: string;
  /** Its protocol, and therefore its shape: `http`, `ws`, `mcp`, `cron`. */
  readonly protocol: string;
  /** Source file, relative to the source directory; `plugin "health"` where no file is behind it. Shown in errors. */
  readonly file: string;
  /** Its line of `fwk routes`: `GET /api/users/:id`. */
  readonly label: string;
  /** Two routes with one id refuse to boot together. Parameter names are erased: `GET /api/users/:`. */
  readonly id: string;
  /** Files of the middlewares around it, outermost first; `layers` has the names of all functions around it. Shown by `fwk routes --verbose`. */
  readonly chain?: readonly string[] | undefined;
  /** The things behind it, where there is more than one. */
  readonly members?: readonly RouteMember[] | undefined;
}

/** One of the things behind a route that leads to several. */
export interface RouteMember {
  /** Its sort, in the words of the protocol: `tool`. */
  readonly kind: string;
  /** Its name for clients. Unique among those of its kind. */
  readonly name: string;
  /** Its line in a list of routes: `TOOL usersFind`. */
  readonly label: string;
  /** No route and no other member has it: `TOOL usersFind`. */
  readonly id: string;
  /** Files of the middlewares around it, outermost first: those of its route. Absent where there are none. */
  readonly chain?: readonly string[];
  /** Source file, relative to the source directory. */
  readonly file: string;
  /** The scopes that a client needs for it; absent where it needs none. */
  readonly scopes?: readonly string[];
}

/** Which plugin's tap returned which routes. */
export interface Returned {
  readonly plugin: string;
  readonly routes: readonly BaseRoute[];
}

/** Report every route whose id another file has taken, or that is there twice. */
export function reportClashes(routes: readonly BaseRoute[], project: Project, returned: readonly Returned[]) {
  // Nearly always all differ, and nothing need be sorted.
  if (new Set(routes.map(({ id }) => id)).size === routes.length) return;
  const pluginOf = ({ id, file }: BaseRoute, count: number) =>
    returned.find((tap) => tap.routes.filter((one) => one.id === id && one.file === file).length >= count)
      ?.plugin;
  const taken = new Map<string, BaseRoute>();
  for (const route of routes.toSorted((a, b) => (a.file < b.file ? -1 : 1))) {
    const { id, label, file } = route;
    const first = taken.get(id);
    taken.set(id, first ?? route);
    if (!first) continue;
    const [one, other] = [pluginOf(first, 1), pluginOf(route, 1)];
    const plugins = one === other ? '' : ` They are of plugin "${one}" and of plugin "${other}".`;
    const message =
      first.file === file
        ? `serves ${label} twice: plugin "${pluginOf(route, 2)}" returns its route again. Return each once there.`
        : `serves ${label}, which ${project.display(first.file)} serves too. Delete or rename one of them.${plugins}`;
    project.report(file, message, 'FWK103');
  }
}
