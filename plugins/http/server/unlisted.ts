import type { Project } from '../../../kernel/index.js';
import type { HttpRoute } from '../routing/route.js';

const unlistedOf = (project: Project): HttpRoute[] => project.slot<HttpRoute[]>('http.unlisted', () => []);

/**
 * Answer requests by a route that no list shows and that no layer is around: a probe, which no guard of the project may refuse.
 * Its handler sends the response itself. A route of the project with the same path wins. Call this in a `serve` tap of a stage
 * before `Stage.finish`.
 */
export function addUnlisted(project: Project, route: HttpRoute): void {
  unlistedOf(project).push(route);
}

/** All routes that answer. */
export function withUnlisted(project: Project, routes: readonly HttpRoute[]): readonly HttpRoute[] {
  const taken = new Set(routes.map(({ path }) => path));
  return [...routes, ...unlistedOf(project).filter(({ path }) => !taken.has(path))];
}
