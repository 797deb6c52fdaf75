import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
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
 * there, so that a source which fails before it can still be answered with an error, or at once if that is `eager`.
 * Throws the error of the source; a client that goes away destroys the source, and nothing is thrown.
 */
export async function pump(
  out: ServerResponse,
  source: Readable,
  begin: () => void,
  eager: boolean,
): Promise<void> {
  let left = out.closed;
  let wake: (() => void) | undefined;
  const onDrain = () => wake?.();
  const onClose = () => {
    left = true;
    source.destroy();
    wake?.();
  };
  const isHead = out.req.method === 'HEAD';
  if (left || isHead) source.destroy();
  if (left) return;
  // A body of another length than announced would run into the next response of the connection.
  out.strictContentLength = true;
  if (isHead || eager) begin();
  if (isHead) return void out.end();
  if (eager) out.flushHeaders();
  out.on('drain', onDrain).once('close', onClose);
  try {
    for await (const chunk of source) {
      checkChunk(chunk);
      if (!out.headersSent) begin();
      if (!left && !out.write(chunk)) await new Promise<void>((resolve) => (wake = resolve));
    }
    if (left) return;
    if (!out.headersSent) begin();
    out.end();
  } catch (thrown) {
    if (!left) throw thrown;
  } finally {
    out.off('drain', onDrain).off('close', onClose);
  }
}

function checkChunk(chunk: unknown): void {
  if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array))
    throw new TypeError(
      `a stream must yield text or bytes; it yielded ${chunk === null ? 'null' : typeof chunk}`,
    );
}
