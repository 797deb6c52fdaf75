import { claimedDirectories, type Plugin } from '../kernel/index.js';

import { framesOf } from '../loader/index.js';
import { api } from '../plugins/api/index.js';
import { cache } from '../plugins/cache/index.js';
import { compression } from '../plugins/compression/index.js';
import { context } from '../plugins/context/index.js';
import { cors } from '../plugins/cors/index.js';
import { csrf } from '../plugins/csrf/index.js';
import { deprecation } from '../plugins/deprecation/index.js';
import { environment } from '../plugins/env/index.js';
import { health } from '../plugins/health/index.js';
import { http } from '../plugins/http/index.js';
import { idempotency } from '../plugins/idempotency/index.js';
import { inspector } from '../plugins/inspector/index.js';
import { jsonResponse } from '../plugins/json-response/index.js';
import { loadShedding } from '../plugins/load-shedding/index.js';
import { log } from '../plugins/log/index.js';
import { mcp } from '../plugins/mcp/index.js';
import { middlewares } from '../plugins/middlewares/index.js';
import { openapi } from '../plugins/openapi/index.js';
import { rateLimit } from '../plugins/rate-limit/index.js';
import { scaffold } from '../plugins/scaffold/index.js';
import { securityHeaders } from '../plugins/security-headers/index.js';
import { session } from '../plugins/session/index.js';
import { skills } from '../plugins/skills/index.js';
import { serverSentEvents } from '../plugins/sse/index.js';
import { staticFiles } from '../plugins/static/index.js';
import { typegen } from '../plugins/typegen/index.js';
import { views } from '../plugins/views/index.js';
import { web } from '../plugins/web/index.js';
import { webSockets } from '../plugins/ws/index.js';
import { readConfig } from './config.js';

/**
 * Every built-in convention. Within one stage of a hook they run in this order: views comes before
 * json-response, which would serialize a view as JSON; http comes first, so that the placeholder routes for
 * 404 and 405 exist when other plugins wrap routes.
 *
 * The layers inside of the router, around the handler of a route or of a placeholder route, outermost
 * first. Each route has only the layers that it needs, and lists them as `layers`. The first layers are
 * fronts, which run before the request object is made, and for files of `public/` too. The steps before them
 * are in `plugins/http/server/serve/listener.ts` and `run-handler.ts`: docs/internals/request.md.
 *
 *     security-headers › cors › session › mcp:visitor › json-response › views › deprecation › rate-limit › csrf › sse ›
 *     middlewares › ws:guard › cache › json-response:null › http:body ›
 *     http:timeout › csrf:field › idempotency › handler
 */
export const builtins = (): Plugin[] => [
  http(),
  inspector(),
  context(),
  environment(),
  log(),
  api(),
  web(),
  mcp(),
  middlewares(),
  views(),
  jsonResponse(),
  cache(),
  compression(),
  staticFiles(),
  serverSentEvents(),
  session(),
  idempotency(),
  csrf(),
  rateLimit(),
  deprecation(),
  webSockets(),
  openapi(),
  cors(),
  securityHeaders(),
  health(),
  loadShedding(),
  typegen(),
  scaffold(),
  skills(),
];

export function conventionDirectories(): readonly string[] {
  directories ??= claimedDirectories(readConfig({ file: '', value: {} }, builtins()), framesOf(''));
  return directories;
}

/** Cached after the first call: the list is the same for every project, and a reload needs it again. */
let directories: readonly string[] | undefined;
