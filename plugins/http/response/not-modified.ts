import type { IncomingMessage } from 'node:http';
import fresh from 'fresh';
import { headerOf } from './headers.js';
import type { HeaderList } from '../io/io.js';

/**
 * Whether the client already has what a 200 with these headers would send: `If-None-Match` against the ETag, compared
 * weakly, else `If-Modified-Since` against Last-Modified (RFC 9110 §13.2.2). A `Cache-Control: no-cache` beside them, which `fetch`
 * adds, asks caches on the way to have this validated here (RFC 9111 §5.2.1.4).
 */
export function isNotModified({ method, headers }: IncomingMessage, own: HeaderList): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const conditions = {
    'if-none-match': headers['if-none-match'],
    'if-modified-since': headers['if-modified-since'],
  };
  return fresh(conditions, { etag: headerOf(own, 'etag'), 'last-modified': headerOf(own, 'last-modified') });
}
