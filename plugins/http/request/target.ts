import type { IncomingMessage } from 'node:http';
import { absolute } from './forwarded.js';

/**
 * The request target in origin form; an absolute target (RFC 9112 §3.2.2) without its origin. Other targets, such as `*` or
 * the address of another protocol, don't begin with `/`.
 */
export function targetOf(raw: IncomingMessage): string {
  const target = raw.url ?? '/';
  return target.startsWith('/') ? target : (absolute(target)?.path ?? target);
}

/** The same for the original target, because Express and Connect replace `url` by the path below the mount path. */
export function originalTargetOf(raw: IncomingMessage): string {
  const original = 'originalUrl' in raw ? raw.originalUrl : undefined;
  if (typeof original !== 'string') return targetOf(raw);
  return original.startsWith('/') ? original : (absolute(original)?.path ?? original);
}

export function pathOf(raw: IncomingMessage): string {
  const target = targetOf(raw);
  const mark = target.indexOf('?');
  return mark === -1 ? target : target.slice(0, mark);
}
