import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StreamBody } from './result.js';

/** Write `body` to `out` with backpressure. A client that goes away ends the source; it is no failure. */
export async function pipeTo(out: ServerResponse, body: StreamBody): Promise<void> {
  const source = body instanceof Blob ? body.stream() : body;
  const readable = source instanceof Readable ? source : Readable.from(source, { objectMode: false });
  if (out.req.method === 'HEAD') {
    readable.destroy();
    out.end();
    return;
  }
  try {
    await pipeline(readable, out);
  } catch (cause) {
    const left = cause instanceof Error && 'code' in cause && cause.code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (!left) throw cause;
  }
}

/** Let a source that has to wait fail without ending the process: whoever reads it later hears of the failure. */
export function hush(body: StreamBody): void {
  if (body instanceof Readable) body.on('error', () => {});
}
