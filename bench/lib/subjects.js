import { join } from 'node:path';
import { buildProject } from './fwk-project.js';

const file = (name) => join(import.meta.dirname, '..', name);

/** In the order of the tables. `node:http` by hand comes first: all others are told in relation to it. */
const SERVERS = ['raw', 'fwk', 'fastify', 'h3', 'hono', 'polka', '0http', 'koa', 'express'];

/** Those that are fwk; what one is asked may differ. */
const PROJECTS = new Set(['fwk', 'fwk-stateless']);

/** Who takes part in a scenario; the first is its yardstick. */
export const subjectsOf = ({ subjects = SERVERS }) => subjects;

let routes;

/** The module that Node is given to run `app` of a subject. fwk runs as in production, by a project's own entry. */
export function entryOf(subject, app) {
  if (!PROJECTS.has(subject)) return file('lib/serve.js');
  if (app !== 'routes') return file(`fwk/${app}/main.js`);
  routes ??= buildProject(200);
  return routes;
}
