import type { BaseRoute, OptionValues, Project } from '../../kernel/index.js';
import type { openapiOptions } from './options.js';

export type OpenapiSettings = OptionValues<typeof openapiOptions>;

/** What is known of one version of a project, for whoever makes its document. */
interface Described {
  settings?: OpenapiSettings;
  /** Known once it is served. */
  routes: readonly BaseRoute[];
}

const describedOf = (project: Project): Described =>
  project.slot<Described>('openapi', () => ({ routes: [] }));

/** Note the options of the plugin, which a command of it does not get. */
export function setSettings(project: Project, settings: OpenapiSettings): void {
  describedOf(project).settings = settings;
}

export function settingsOf(project: Project): OpenapiSettings {
  const { settings } = describedOf(project);
  if (!settings) throw new Error('the project has not been resolved');
  return settings;
}

export function setRoutes(project: Project, routes: readonly BaseRoute[]): void {
  describedOf(project).routes = routes;
}

/** The routes that are served. */
export const routesOf = (project: Project): readonly BaseRoute[] => describedOf(project).routes;
