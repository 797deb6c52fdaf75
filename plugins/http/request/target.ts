import type { IncomingMessage } from 'node:http';
import { absolute } from './forwarded.js';

/**
 * The request target in origin form; an absolute one (RFC 9112 §3.2.2) without its origin. Any other, as `*` or the address
 * of another protocol, does not begin with `/`.
 */
export function targetOf(raw: IncomingMessage): string {
  const target = raw.url ?? '/';
  return target.startsWith('/') ? target : (absolute(target)?.path ?? target);
}

/** The path of the target as the client wrote it, without the query string. */
export function pathOf(raw: IncomingMessage): string {
  const target = targetOf(raw);
  const mark = target.indexOf('?');
  return mark === -1 ? target : target.slice(0, mark);
}
