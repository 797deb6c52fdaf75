import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** The id of a request, once it was asked for. */
const ID = Symbol('fwkit.id');
/** What is to be said of a request in logs, beside what is known of all. */
const NOTES = Symbol('fwkit.notes');

type Notes = Readonly<Record<string, unknown>>;

interface Identified extends IncomingMessage {
  [ID]?: string;
  [NOTES]?: Notes;
}

/** Have lines of a request's logger that is made from now on, and its line in the access log, have these fields, too. */
export function noteRequest({ raw }: { readonly raw: Identified }, notes: Notes): void {
  raw[NOTES] = { ...raw[NOTES], ...notes };
}

export const notesOf = (raw: Identified): Notes | undefined => raw[NOTES];

/** The ids that are accepted from clients: letters, digits, `_`, `-`, `+` and `=`. Without `.`, `/` and `:`, an id is safe as a file name. */
const ACCEPTED_ID = /^[\w+=-]{1,128}$/;

export function requestId(raw: Identified): string {
  // The global one, which loads Node's crypto module when it is first called: that takes 5 ms.
  raw[ID] ??= crypto.randomUUID();
  return raw[ID];
}

/** Runs around a request: it keeps the id that it comes with, if that can be one, and its response names it. */
export function exchangeIds(raw: Identified, out: ServerResponse, next: RequestListener): void {
  const given = raw.headers['x-request-id'];
  // Of two, Node makes one with a comma, which is no id.
  if (typeof given === 'string' && ACCEPTED_ID.test(given)) raw[ID] = given;
  if (!out.headersSent) out.setHeader('X-Request-Id', requestId(raw));
  next(raw, out);
}

/** W3C Trace Context §3.2.2: later versions may have more behind the flags. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(-.*)?$/;
/** The longest `traceparent` that is read, in characters: one of version 00 has 55. */
const MAX_TRACEPARENT = 256;

/** The trace id that a request came with; undefined where it has none, or not a right one. */
export function traceIdOf({ headers }: IncomingMessage): string | undefined {
  const { traceparent } = headers;
  if (typeof traceparent !== 'string' || traceparent.length > MAX_TRACEPARENT) return undefined;
  const [, version, traceId, more] = TRACEPARENT.exec(traceparent) ?? [];
  return version === '00' && more !== undefined ? undefined : traceId;
}
