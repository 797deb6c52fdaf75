import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers';
import { coded } from '../../../kernel/index.js';

export function toReadable(body: StreamBody): Readable {
  const source = body instanceof Blob ? body.stream() : body;
  const readable =
    source instanceof Readable
      ? source
      : source instanceof ReadableStream
        ? Readable.fromWeb(source)
        : Readable.from(source);
  // Readers handle its errors. If there is no reader, as for HEAD, an error must not end the process.
  readable.on('error', () => {});
  return readable;
}

/**
 * Write the pieces of `source` to `out` with back-pressure. `begin` sends the head. It is called with the first piece, so
 * that a source which fails earlier can still be answered with an error; with `eager`, at the latest in the next turn of the
 * event loop. Rejects with the error of the source. A client that disconnects destroys the source, which isn't an error.
 */
export function pump(
  out: ServerResponse,
  source: Readable,
  begin: () => void,
  eager: boolean,
): Promise<void> {
  const isHead = out.req.method === 'HEAD';
  if (out.closed || isHead) source.destroy();
  if (out.closed) return Promise.resolve();
  // A body that differs from its announced length would corrupt the next response on the connection.
  out.strictContentLength = true;
  if (isHead || eager) begin();
  if (isHead) {
    out.end();
    return Promise.resolve();
  }
  return new Promise((resolve, reject) => {
    let isFlowing = false;
    /** Whether another response has been sent, because this one timed out. */
    const isAnswered = (): boolean => !isFlowing && !eager && out.headersSent;
    const settle = (act: () => void): void => {
      out.off('drain', onDrain).off('close', onDisconnect);
      source.off('data', onPiece).off('end', onEnd).off('error', onError).off('close', onClose);
      act();
    };
    const attempt = (act: () => void): void => {
      try {
        act();
      } catch (thrown) {
        settle(() => reject(thrown));
        source.destroy();
      }
    };
    const onPiece = (piece: unknown): void =>
      attempt(() => {
        checkPiece(piece);
        if (isAnswered()) return onDisconnect();
        isFlowing = true;
        if (!out.headersSent) begin();
        if (!out.write(piece)) source.pause();
      });
    const onEnd = (): void =>
      attempt(() => {
        if (isAnswered()) return onDisconnect();
        isFlowing = true;
        if (!out.headersSent) begin();
        out.end();
        settle(resolve);
      });
    const onDrain = (): void => void source.resume();
    const onError = (thrown: unknown): void => settle(() => reject(thrown));
    const onDisconnect = (): void => {
      settle(resolve);
      source.destroy();
    };
    // The source closed without `end` or `error`.
    const onClose = (): void => settle(() => reject(prematureClose()));
    out.on('drain', onDrain).once('close', onDisconnect);
    if (source.errored) return onError(source.errored);
    if (source.destroyed) return onClose();
    // Pieces that are ready by then are sent in one write with the head.
    if (eager) setImmediate(() => isFlowing || out.destroyed || out.flushHeaders());
    source.on('end', onEnd).on('error', onError).on('close', onClose).on('data', onPiece);
  });
}

/** The same error that Node's own streams use. */
const prematureClose = (): Error =>
  Object.assign(new Error('Premature close'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });

export function checkPiece(piece: unknown): asserts piece is string | Uint8Array {
  if (typeof piece !== 'string' && !(piece instanceof Uint8Array))
    throw coded(
      'FWK418',
      `a stream must yield text or bytes, but it yielded ${piece === null ? 'null' : typeof piece}`,
    );
}

/** A body that is sent in pieces: a Node or web stream, an async iterator of text or bytes, or a Blob. */
export type StreamBody = AsyncIterable<string | Uint8Array> | Blob;

/** Whether `res.stream` can send `value`. Web streams are async iterables in Node, so one check covers everything except Blobs. */
export const isStreamBody = (value: unknown): value is StreamBody =>
  typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || value instanceof Blob);

/** Headers of a single connection, which are not forwarded (RFC 9110 §7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The headers of a Response that match the body sent, each cookie separately. Throws if it is unsendable. */
export function* headersOf({ headers, url, status, bodyUsed }: Response): Generator<[string, string]> {
  if (status === 0) throw coded('FWK416', 'Response.error() cannot be sent, because it has no status');
  if (bodyUsed) throw coded('FWK416', 'the body of the Response has already been read');
  // A fetched body has been decoded: its encoding and its length no longer match the headers.
  const decoded = url !== '' && headers.has('content-encoding');
  for (const [name, value] of headers) {
    if (HOP_BY_HOP.has(name)) continue;
    if (decoded && (name === 'content-encoding' || name === 'content-length')) continue;
    yield [name, value];
  }
}

/** The error of a value that JSON can't represent, such as a function. */
export const notJsonAtAll = (value: unknown): Error =>
  coded('FWK410', `a value of type ${typeof value} cannot be sent as JSON`);

export const sentAlready = (): Error => coded('FWK411', new Error('the response has already been sent'));

/** V8's messages for a BigInt and for a circular structure. */
const OF_JSON = /serialize a BigInt|circular structure/;

/** Add the error code to an error of `JSON.stringify`, unless it has a code. Never throws. */
export function markJsonMistake(thrown: unknown): void {
  try {
    if (thrown instanceof TypeError && !('code' in thrown) && OF_JSON.test(thrown.message))
      coded('FWK410', thrown);
  } catch {
    // A Proxy or a frozen error is reported without a code.
  }
}
