import type { Door } from './caller.js';
import type { Inspector } from './inspector.js';

/** Answers a message of an MCP client, of which `body` is what was sent. `door`: where it can ask the app. */
export type McpAnswer = (
  inspector: Inspector,
  request: Request,
  body: unknown,
  door: Door,
) => Promise<Response>;
