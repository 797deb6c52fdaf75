import type { IncomingMessage } from 'node:http';
import type { HttpResponse } from '../response/response.js';

/**
 * Runs in front of all else that a request meets: its body is not read, no layer has run. It sets headers, which whatever answers
 * keeps unless it sets them itself, or answers and returns true. It does not wait: what it has to know, it knows by then.
 */
export type FrontHandler = (raw: IncomingMessage, res: HttpResponse) => boolean | undefined;
