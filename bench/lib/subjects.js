import { join } from 'node:path';
import { buildProject } from './fwk-project.js';

const file = (name) => join(import.meta.dirname, '..', name);

/** In the order of the tables. The hand-written `node:http` server comes first, because all ratios relate to it. */
const SERVERS = ['raw', 'fwk', 'fastify', 'h3', 'hono', 'polka', '0http', 'koa', 'express'];

/** The subjects that run fwk; `fwk-stateless` may receive different requests. */
const PROJECTS = new Set(['fwk', 'fwk-stateless']);

/** Returns the subjects of a scenario; the first one is its baseline. */
export const subjectsOf = ({ subjects = SERVERS }) => subjects;

let routes;

/**
 * Returns the module that Node runs for `app` of a subject. fwk runs as in production, from the project's own entry
 * file.
 */
export function entryOf(subject, app) {
  if (!PROJECTS.has(subject)) return file('lib/serve.js');
  if (app !== 'routes') return file(`fwk/${app}/main.js`);
  routes ??= buildProject(200);
  return routes;
}
