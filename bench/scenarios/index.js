/** All scenarios, in the order in which they are measured and shown. What one is: see README.md. */
import files from './files.js';
import json from './json.js';
import list from './list.js';
import middlewares from './middlewares.js';
import missing from './missing.js';
import pages from './pages.js';
import post from './post.js';
import routes from './routes.js';

export const SCENARIOS = [json, routes, list, post, middlewares, missing, files, pages];

export const scenarioOf = (wanted) => SCENARIOS.find(({ name }) => name === wanted);
