import type { BaseRoute, OptionValues, Project } from '../../kernel/index.js';
import { type HttpRoute, isHttpRoute } from '../http/index.js';
import type { openapiOptions } from './options.js';

export type OpenapiSettings = OptionValues<typeof openapiOptions>;

/** What is known of one version of a project, for whoever makes its document. */
interface Described {
  settings?: OpenapiSettings;
  /** Known once it is served. */
  routes: readonly BaseRoute[];
  /** The ids of routes with a time-out. */
  timed: ReadonlySet<string>;
}

const describedOf = (project: Project): Described =>
  project.slot<Described>('openapi', () => ({ routes: [], timed: new Set() }));

/** Note the options of the plugin, which a command of it does not get. */
export function setSettings(project: Project, settings: OpenapiSettings): void {
  describedOf(project).settings = settings;
}

export function settingsOf(project: Project): OpenapiSettings {
  const { settings } = describedOf(project);
  if (!settings) throw new Error('the project has not been resolved');
  return settings;
}

/** Note which routes have a time-out: its layer is not kept where it is the innermost. */
export function setTimed(project: Project, routes: readonly BaseRoute[]): void {
  const timed = routes.filter((route) => isHttpRoute(route) && route.layers.includes('http:timeout'));
  if (timed.length > 0) describedOf(project).timed = new Set(timed.map(({ id }) => id));
}

export const isTimed = (project: Project, { id }: HttpRoute): boolean => describedOf(project).timed.has(id);

export function setRoutes(project: Project, routes: readonly BaseRoute[]): void {
  describedOf(project).routes = routes;
}

/** The routes that are served. */
export const routesOf = (project: Project): readonly BaseRoute[] => describedOf(project).routes;
