import { createHash } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { sessionOf } from '../context/internal.js';
import type { HttpRequest } from '../http/index.js';

/** Longer keys are hashed: what a counter costs must not be up to a client. */
const MAX_KEY_CHARACTERS = 64;

/** A text of a bounded length for any text. */
export const bounded = (text: string): string =>
  text.length <= MAX_KEY_CHARACTERS ? text : `#${createHash('sha256').update(text).digest('base64url')}`;

/**
 * Whose requests an address stands for: itself, or of IPv6 the first 64 bits, which is what one customer gets at least
 * (RFC 6177). Takes whatever a proxy forwards: some add a port.
 */
export function addressKey(address: string): string {
  if (isIPv4(address)) return address;
  const [, bracketed, plain] = /^\[([^\]]*)\](?::\d+)?$|^([^:]+):\d+$/.exec(address) ?? [];
  const ip = bracketed ?? plain ?? address;
  if (isIPv4(ip)) return ip;
  if (!isIPv6(ip)) return bounded(address);
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip) ?? [];
  return mapped ?? `${networkOf(ip)}/64`;
}

function networkOf(ip: string): string {
  const [head = '', tail] = (ip.split('%', 1)[0] ?? '').split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const before = groups(head);
  const after = groups(tail ?? '');
  // An IPv4 address at the end stands for two groups.
  const length = before.length + after.length + (ip.includes('.') ? 1 : 0);
  const all = [...before, ...Array<string>(Math.max(8 - length, 0)).fill('0'), ...after];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

/** What stands for the session of a visitor; undefined where there is none, or none can be loaded: what reads it throws that. */
export function sessionKey(req: HttpRequest, onFailure: 'allow' | 'refuse'): string | undefined {
  try {
    const session = sessionOf(req);
    return session?.isStored ? session.proofs?.('rate-limit')[0] : undefined;
  } catch (thrown) {
    if (onFailure === 'refuse') throw thrown;
    return undefined;
  }
}
