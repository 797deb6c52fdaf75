/** All scenarios, in the order in which they are measured and shown. README.md describes each one. */
import broadcast from './broadcast.js';
import calls from './calls.js';
import checked from './checked.js';
import echo from './echo.js';
import events from './events.js';
import files from './files.js';
import guarded from './guarded.js';
import json from './json.js';
import list from './list.js';
import middlewares from './middlewares.js';
import missing from './missing.js';
import pages from './pages.js';
import post from './post.js';
import routes from './routes.js';

/** For each command: its scenarios, the unit of the counts, and the packages whose versions the result includes. */
export const GROUPS = {
  http: {
    unit: 'request',
    scenarios: [json, routes, list, post, checked, middlewares, missing, files, pages, events, guarded],
    packages:
      'fwkit fastify h3 hono @hono/node-server @hono/zod-validator zod polka sirv 0http koa express'.split(
        ' ',
      ),
  },
  ws: { unit: 'message', scenarios: [echo, broadcast], packages: ['fwkit', 'ws'] },
  mcp: {
    unit: 'call',
    scenarios: [calls],
    packages: ['fwkit', '@modelcontextprotocol/sdk', '@modelcontextprotocol/server', 'zod'],
  },
};

export const SCENARIOS = Object.values(GROUPS).flatMap(({ scenarios }) => scenarios);

export const scenarioOf = (wanted) => SCENARIOS.find(({ name }) => name === wanted);
