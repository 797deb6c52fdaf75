import { BootError, messageOf } from 'fwkit/plugin';

/** Refusals that a person has to fix: waiting does not. */
export const REFUSED = /\b(?:NOAUTH|NOPERM|WRONGPASS)\b/;

/** The error of a start that `cause` keeps from connecting. */
export function unreachable(cause: unknown): BootError {
  if (cause instanceof BootError) return cause;
  const reason = messageOf(cause).replace(/^redis: /, '');
  const message = REFUSED.test(reason)
    ? `redis refuses this app: ${reason}. Correct the user and password that redis({ client }) connects with, or give that user the rights it needs.`
    : `redis cannot be reached: ${reason}. Start it, or correct where redis({ client }) connects to.`;
  return new BootError({ message, code: REFUSED.test(reason) ? 'FWK812' : 'FWK811' });
}
