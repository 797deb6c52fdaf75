import { join } from 'node:path';
import { buildProject } from './fwk-project.js';

const file = (name) => join(import.meta.dirname, '..', name);

/** In the order of the tables. `node:http` by hand comes first: all others are told in relation to it. */
const SERVERS = ['raw', 'fwk', 'fastify', 'h3', 'hono', 'polka', '0http', 'koa', 'express'];

/** Who takes part in a scenario; the first is its yardstick. */
export const subjectsOf = ({ subjects = SERVERS }) => subjects;

/** The packages whose versions a result tells. */
export const PACKAGES = [
  'fwkit',
  'fastify',
  'h3',
  'hono',
  '@hono/node-server',
  'polka',
  'sirv',
  '0http',
  'koa',
  'express',
];

let routes;

/** The module that Node is given to run `app` of a subject. fwk runs as in production, by a project's own entry. */
export function entryOf(subject, app) {
  if (subject !== 'fwk') return file('lib/serve.js');
  if (app !== 'routes') return file(`fwk/${app}/main.js`);
  routes ??= buildProject(200);
  return routes;
}
