import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';
import { messageOf } from '../../../kernel/index.js';
import { CLIENT_DISCONNECTED, HttpProblem } from '../request/http-error.js';
import { type Decoder, decoderOf } from './content-encoding.js';
import { isTooLarge, tooLarge } from './read-body.js';

/**
 * The bytes of a body, decompressed, as they come. Throws an HttpProblem: at once for a body that is announced to be larger
 * than `limit` bytes or has an encoding that is not supported; from the iterator once more than `limit` decompressed bytes
 * have come, for bytes that do not decompress, and when the client goes away. However the iterator ends, the rest of
 * the request is read and thrown away.
 */
export function chunksOf(raw: IncomingMessage, limit: number): AsyncGenerator<Buffer, void, undefined> {
  const decoder = decoderOf(raw.headers['content-encoding']);
  if (decoder === undefined && isTooLarge(raw, limit)) throw tooLarge(limit);
  return counted(raw, decoder, limit);
}

async function* counted(
  raw: IncomingMessage,
  decoder: Decoder | undefined,
  limit: number,
): AsyncGenerator<Buffer, void, undefined> {
  const decoding = decoder?.open();
  if (decoding) {
    decoding.on('error', () => {});
    finished(raw, (cause) => void (cause && decoding.destroy(cause)));
    raw.pipe(decoding);
  }
  let size = 0;
  try {
    for await (const chunk of (decoding ?? raw).iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > limit) throw tooLarge(limit);
      yield chunk;
    }
  } catch (cause) {
    if (cause instanceof HttpProblem) throw cause;
    if (decoder === undefined || (raw.destroyed && !raw.complete)) throw CLIENT_DISCONNECTED;
    throw new HttpProblem(400, `The body is not valid ${decoder.name}: ${messageOf(cause)}`);
  } finally {
    if (decoding) {
      raw.unpipe(decoding);
      decoding.destroy();
    }
    raw.resume();
  }
}
