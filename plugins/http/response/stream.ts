import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers';
import { coded } from '../../../kernel/index.js';
import type { StreamBody } from './result.js';

/** One kind of source for all that can be streamed. Throws TypeError for a web stream that has a reader already. */
export function toReadable(body: StreamBody): Readable {
  const source = body instanceof Blob ? body.stream() : body;
  const readable =
    source instanceof Readable
      ? source
      : source instanceof ReadableStream
        ? Readable.fromWeb(source)
        : Readable.from(source);
  // Its reader gets its errors; where it has none, as for HEAD, an error must not end the process.
  readable.on('error', () => {});
  return readable;
}

/**
 * Write what `source` yields to `out`, as fast as the client reads it. `begin` sends the head: once the first piece is
 * there, so that a source which fails before it can still be answered with an error, or, if that is `eager`, at the latest
 * in the next turn of the event loop. Rejects with the error of the source; a client that goes away destroys the
 * source, and that is no error.
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
  // A body of another length than announced would run into the next response of the connection.
  out.strictContentLength = true;
  if (isHead || eager) begin();
  if (isHead) {
    out.end();
    return Promise.resolve();
  }
  return new Promise((resolve, reject) => {
    let isFlowing = false;
    /** Whether another response has been sent, because this one took too long. */
    const isAnswered = (): boolean => !isFlowing && !eager && out.headersSent;
    const settle = (act: () => void): void => {
      out.off('drain', onDrain).off('close', onLeft);
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
        if (isAnswered()) return onLeft();
        isFlowing = true;
        if (!out.headersSent) begin();
        if (!out.write(piece)) source.pause();
      });
    const onEnd = (): void =>
      attempt(() => {
        if (isAnswered()) return onLeft();
        isFlowing = true;
        if (!out.headersSent) begin();
        out.end();
        settle(resolve);
      });
    const onDrain = (): void => void source.resume();
    const onError = (thrown: unknown): void => settle(() => reject(thrown));
    const onLeft = (): void => {
      settle(resolve);
      source.destroy();
    };
    // Neither its end nor an error came before.
    const onClose = (): void => settle(() => reject(prematureClose()));
    out.on('drain', onDrain).once('close', onLeft);
    if (source.errored) return onError(source.errored);
    if (source.destroyed) return onClose();
    // Pieces that are there by then go out in one write with the head.
    if (eager) setImmediate(() => isFlowing || out.destroyed || out.flushHeaders());
    source.on('end', onEnd).on('error', onError).on('close', onClose).on('data', onPiece);
  });
}

/** As Node's own streams say it. */
const prematureClose = (): Error =>
  Object.assign(new Error('Premature close'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });

/** Throws a TypeError for what cannot be sent. */
export function checkPiece(piece: unknown): asserts piece is string | Uint8Array {
  if (typeof piece !== 'string' && !(piece instanceof Uint8Array))
    throw coded(
      'FWK418',
      new TypeError(
        `a stream must yield text or bytes; it yielded ${piece === null ? 'null' : typeof piece}`,
      ),
    );
}
