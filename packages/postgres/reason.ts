import { messageOf } from 'fwkit/plugin';

/** What has happened, in a few words: an error of a name with several addresses tells it of each. */
export function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  return messageOf(cause);
}

/** The SQLSTATE of an error that the server has answered; undefined of any other, `EPIPE` among them. */
export function codeOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error && 'severity' in cause && 'code' in cause)) return undefined;
  return typeof cause.code === 'string' ? cause.code : undefined;
}
