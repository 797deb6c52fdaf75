import { createHash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { pageFolders } from '../page-folders.js';
import { type Manual, readManual } from '../pages.js';
import { answerFor } from './answer.js';

/** Nothing from elsewhere, and of the site itself only what its pages need. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Answers targets below the manual's base: the pages for the project at `root`. They are read by the first request. */
export function manualListener(root: string): RequestListener {
  let manual: Manual | undefined;
  return (raw, out) => {
    const { method = 'GET', url = '/' } = raw;
    if (method !== 'GET' && method !== 'HEAD') {
      out.writeHead(405, { Allow: 'GET, HEAD', 'Content-Type': 'text/plain; charset=utf-8' });
      return void out.end('The manual is only read.\n');
    }
    manual ??= readManual(pageFolders(root));
    const { status, type, body, location } = answerFor(manual, url);
    const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    const headers = {
      'Content-Type': type,
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Resource-Policy': 'same-origin',
      ETag: tag,
      ...(location === undefined ? {} : { Location: location }),
    };
    if (status === 200 && raw.headers['if-none-match'] === tag) return void out.writeHead(304, headers).end();
    out.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) });
    out.end(method === 'HEAD' ? undefined : body);
  };
}
