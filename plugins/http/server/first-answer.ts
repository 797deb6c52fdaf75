import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Answers a request that is for the development server itself; false leaves it to the project. `strange` says why the one who
 * asks may not, if so: a sentence without its full stop.
 */
export type FirstAnswer = (
  raw: IncomingMessage,
  out: ServerResponse,
  strange: () => string | undefined,
) => boolean;
