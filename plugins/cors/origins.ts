import type { IncomingMessage } from 'node:http';
import { coded } from '../../kernel/index.js';
import type { CorsOrigin } from './options.js';

/** Whether pages of an origin, as their browser sent it, may ask. */
export type AllowsOrigin = (origin: string, raw: IncomingMessage) => boolean;

/** A serialized origin: anything else was not sent by a browser, or by two. */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^\s/,]{1,300}$/;

/** What says whether an origin may ask, decided as far as it can be. Origins are compared as they are written (RFC 6454 §5). */
export function originCheck(origin: CorsOrigin): AllowsOrigin {
  if (typeof origin === 'function')
    return (sent, raw) => {
      if (sent !== 'null' && !ORIGIN.test(sent)) return false;
      const allowed: unknown = origin(sent, raw);
      if (typeof allowed === 'boolean') return allowed;
      if (allowed instanceof Promise) allowed.catch(() => {});
      throw coded(
        'FWK405',
        new TypeError(
          'cors.origin gave neither true nor false. It answers at once: keep origins that are stored elsewhere in memory.',
        ),
      );
    };
  if (origin === true) return (sent) => ORIGIN.test(sent);
  const list = [origin].flat();
  const exact = new Set(list.filter((one) => !one.includes('*')));
  const patterns = list.filter((one) => one.includes('*')).map(patternOf);
  if (patterns.length === 0) return (sent) => exact.has(sent);
  return (sent) => exact.has(sent) || (ORIGIN.test(sent) && patterns.some((matches) => matches(sent)));
}

/** `https://*.shop.example`, `http://localhost:*`: no expression of its own is made, so none can take long. */
function patternOf(pattern: string): (origin: string) => boolean {
  const anyPort = pattern.endsWith(':*');
  const plain = anyPort ? pattern.slice(0, -2) : pattern;
  const star = plain.indexOf('*');
  return (sent) => {
    const origin = anyPort ? sent.replace(/:\d{1,5}$/, '') : sent;
    if (star === -1) return origin === plain;
    const scheme = plain.slice(0, star);
    const below = plain.slice(star + 1);
    return (
      origin.length > scheme.length + below.length &&
      origin.startsWith(scheme) &&
      origin.endsWith(below) &&
      /^[\w.-]+$/.test(origin.slice(scheme.length, -below.length))
    );
  };
}
