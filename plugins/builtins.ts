import type { Plugin } from '../kernel/index.js';
import { api } from './api/index.js';
import { context } from './context/index.js';
import { http } from './http/index.js';
import { jsonResponse } from './json-response/index.js';
import { mcp } from './mcp/index.js';
import { middlewares } from './middlewares/index.js';
import { scaffold } from './scaffold/index.js';
import { session } from './session/index.js';
import { skills } from './skills/index.js';
import { serverSentEvents } from './sse/index.js';
import { staticFiles } from './static/index.js';
import { typegen } from './typegen/index.js';
import { views } from './views/index.js';
import { web } from './web/index.js';
import { webSockets } from './ws/index.js';

/**
 * Every built-in convention. Within one stage of a hook they run in this order: views comes before json-response,
 * which would make JSON of a view; session comes after all that may read session values; http comes first, so that
 * what stands in for routes is there when others wrap them.
 */
export const builtins = (): Plugin[] => [
  http(),
  context(),
  api(),
  web(),
  mcp(),
  middlewares(),
  views(),
  jsonResponse(),
  staticFiles(),
  serverSentEvents(),
  session(),
  webSockets(),
  typegen(),
  scaffold(),
  skills(),
];

/** Directories that mark a source directory. */
export const CONVENTION_DIRECTORIES = ['api', 'web', 'ws', 'mcp', 'di', 'services', 'middlewares'];
