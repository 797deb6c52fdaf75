import { type BaseRoute, isObject, type Project, type RouteMember } from 'fwkit/plugin';
import { filesBefore } from '../graph/files-before.js';

/** A route, or a member of one, whose reach can be told. */
export interface Reachable {
  /** `GET /api/users/:id`, `TOOL notesSearch`. */
  readonly label: string;
  /** `api`, `ws`, `cron`, `tool`. */
  readonly kind: string;
  /** Relative to the source directory; `plugin "…"` where none of the project is behind it. */
  readonly file: string;
  /** Files that run before it, outermost first: middlewares, and who may ask over MCP. */
  readonly before: readonly string[];
  /** What `.meta({ may })` says; undefined where it says nothing. */
  readonly may?: unknown;
}

/** All that can be called, by label: routes, and the members of those that lead to several things. */
export function reachables(routes: readonly BaseRoute[], project: Project): readonly Reachable[] {
  const all = routes.flatMap((route): Reachable[] => {
    const before = filesBefore(route, project);
    const { label, kind, file } = route;
    const members = (route.members ?? []).map((member) => ofMember(member, before, routes));
    const may = mayOf(route);
    return [{ label, kind, file, before, ...(may === undefined ? {} : { may }) }, ...members];
  });
  return all.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}

/** What `.meta({ may })` of a route says, whatever its protocol; undefined where it says nothing. */
export const mayOf = (route: BaseRoute): unknown =>
  'meta' in route && isObject(route.meta) ? route.meta.may : undefined;

/** A tool that is a route runs that with its own layers. */
function ofMember(member: RouteMember, before: readonly string[], routes: readonly BaseRoute[]): Reachable {
  const { label, kind, file } = member;
  const behind = routes.filter((route) => route.file === file && route.members === undefined);
  const inner = behind.flatMap(({ chain = [] }) => chain);
  return { label, kind, file, before: [...new Set([...before, ...inner])] };
}

/** By path, then by method. */
function placeOf({ label }: Reachable): string {
  const space = label.indexOf(' ');
  return `${label.slice(space + 1)} ${label.slice(0, space)}`;
}
