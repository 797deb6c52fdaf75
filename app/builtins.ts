import type { Plugin } from '../kernel/index.js';
import { claimedDirectories } from '../kernel/internal.js';
import { api } from '../plugins/api/index.js';
import { context } from '../plugins/context/index.js';
import { http } from '../plugins/http/index.js';
import { jsonResponse } from '../plugins/json-response/index.js';
import { mcp } from '../plugins/mcp/index.js';
import { middlewares } from '../plugins/middlewares/index.js';
import { scaffold } from '../plugins/scaffold/index.js';
import { session } from '../plugins/session/index.js';
import { skills } from '../plugins/skills/index.js';
import { serverSentEvents } from '../plugins/sse/index.js';
import { staticFiles } from '../plugins/static/index.js';
import { typegen } from '../plugins/typegen/index.js';
import { views } from '../plugins/views/index.js';
import { web } from '../plugins/web/index.js';
import { webSockets } from '../plugins/ws/index.js';
import { readConfig } from './read-config.js';

/**
 * Every built-in convention. Within one stage of a hook they run in this order: views comes before json-response,
 * which would make JSON of a view; session comes after all that may read session values; http comes first, so that
 * what stands in for routes is there when others wrap them.
 *
 * The layers around a handler, outermost first; a route has those of them that it needs, and lists them as `layers`:
 *
 *     mcp:visitor › session › json-response › views › sse › middlewares ›
 *     ws:guard › json-response:null › http:body › handler
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

/** Directories that mark a source directory: those that a built-in claims files in. */
export function conventionDirectories(): readonly string[] {
  directories ??= claimedDirectories(readConfig({ file: '', value: {} }, builtins()));
  return directories;
}

/** Known once it was asked for: it is the same for every project, and a reload asks again. */
let directories: readonly string[] | undefined;
