import type { IncomingMessage } from 'node:http';
import fresh from 'fresh';
import { type HeaderList, headerOf } from './headers.js';

/**
 * Whether the client already has what a 200 with these headers would send: `If-None-Match` against the ETag, compared
 * weakly, else `If-Modified-Since` against Last-Modified (RFC 9110 §13.2.2).
 */
export function isNotModified({ method, headers }: IncomingMessage, own: HeaderList): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  return fresh(headers, { etag: headerOf(own, 'etag'), 'last-modified': headerOf(own, 'last-modified') });
}
