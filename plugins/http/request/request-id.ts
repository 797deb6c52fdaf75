import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** The property that holds the id of a request, once it has been read. */
const ID = Symbol('fwkit.id');
/** The property that holds additional log fields of a request. */
const NOTES = Symbol('fwkit.notes');

type Notes = Readonly<Record<string, unknown>>;

interface RequestWithId extends IncomingMessage {
  [ID]?: string;
  [NOTES]?: Notes;
}

/** Add fields to the log lines that follow for this request, and to its line in the access log. */
export function noteRequest({ raw }: { readonly raw: RequestWithId }, notes: Notes): void {
  raw[NOTES] = { ...raw[NOTES], ...notes };
}

export const notesOf = (raw: RequestWithId): Notes | undefined => raw[NOTES];

/** Ids that are accepted from clients: letters, digits, `_`, `-`, `+` and `=`. Without `.`, `/` and `:`, an id is safe as a file name. */
const ACCEPTED_ID = /^[\w+=-]{1,128}$/;

export function requestId(raw: RequestWithId): string {
  // The global `crypto` loads Node's crypto module on first use, which takes 5 ms.
  raw[ID] ??= crypto.randomUUID();
  return raw[ID];
}

/** Runs around a request: keeps a valid id from the client, and sends the id in the response. */
export function exchangeIds(raw: RequestWithId, out: ServerResponse, next: RequestListener): void {
  const given = raw.headers['x-request-id'];
  // Node joins two headers with a comma, which isn't valid in an id.
  if (typeof given === 'string' && ACCEPTED_ID.test(given)) raw[ID] = given;
  if (!out.headersSent) out.setHeader('X-Request-Id', requestId(raw));
  next(raw, out);
}

/** W3C Trace Context §3.2.2: later versions may append fields after the flags. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(-.*)?$/;
/** The longest `traceparent` that is read, in characters. Version 00 has 55. */
const MAX_TRACEPARENT = 256;

/** The trace id that a request came with; undefined if it has none or an invalid one. */
export function traceIdOf({ headers }: IncomingMessage): string | undefined {
  const { traceparent } = headers;
  if (typeof traceparent !== 'string' || traceparent.length > MAX_TRACEPARENT) return undefined;
  const [, version, traceId, more] = TRACEPARENT.exec(traceparent) ?? [];
  return version === '00' && more !== undefined ? undefined : traceId;
}
