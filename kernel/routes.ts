import type { Project } from './project.js';

/** The members that routes of all protocols share. A plugin extends it for its protocol. */
export interface BaseRoute {
  /** The convention that the route belongs to: `api`, `web`, `cron`. */
  readonly kind: string;
  /** `http`, `ws`, `mcp`, `cron`: determines the type of the route. */
  readonly protocol: string;
  /** Source file, relative to the source directory; `plugin "health"` if a plugin makes the route. Shown in errors. */
  readonly file: string;
  /** Its line in `fwk routes`: `GET /api/users/:id`. */
  readonly label: string;
  /** Unique among all routes. Parameter names are removed: `GET /api/users/:`. */
  readonly id: string;
  /** Files of its middlewares, outermost first. Shown by `fwk routes --verbose`. */
  readonly chain?: readonly string[] | undefined;
  /** The members, such as MCP tools, of a route that dispatches to several. */
  readonly members?: readonly RouteMember[] | undefined;
}

/** A member of a route, such as an MCP tool. */
export interface RouteMember {
  /** The protocol's term for it: `tool`. */
  readonly kind: string;
  /** Its name for clients. Unique among members of its kind. */
  readonly name: string;
  /** Its line in a list of routes: `TOOL usersFind`. */
  readonly label: string;
  /** Unique among all routes and members: `TOOL usersFind`. */
  readonly id: string;
  /** Files of the middlewares of its route, outermost first; absent if the route has none. */
  readonly chain?: readonly string[];
  /** Source file, relative to the source directory. */
  readonly file: string;
  /** The scopes that a client needs; absent if it needs none. */
  readonly scopes?: readonly string[];
}

/** The routes that a tap returned, and its plugin. */
export type TapResult = { readonly plugin: string; readonly routes: readonly BaseRoute[] };

/** Report every route whose id is already used by an earlier route. */
export function reportClashes(routes: readonly BaseRoute[], project: Project, results: readonly TapResult[]) {
  // Fast path: almost always, all ids differ.
  if (new Set(routes.map(({ id }) => id)).size === routes.length) return;
  const pluginOf = ({ id, file }: BaseRoute, count: number) =>
    results.find((tap) => tap.routes.filter((one) => one.id === id && one.file === file).length >= count)
      ?.plugin;
  const routeById = new Map<string, BaseRoute>();
  for (const route of routes.toSorted((a, b) => (a.file < b.file ? -1 : 1))) {
    const { id, label, file } = route;
    const first = routeById.get(id);
    routeById.set(id, first ?? route);
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
