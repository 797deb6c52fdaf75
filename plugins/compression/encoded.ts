import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { pipeline as whenSent } from 'node:stream/promises';
import { checkPiece } from '../http/index.js';
import type { Encoder } from './encoders.js';

/** How long a source may be silent before the client gets what it has said so far, in milliseconds. */
const SILENCE_MS = 25;
/** In bytes, of a body that is there as a whole. */
const PIECE_BYTES = 64 * 1024;

/**
 * What `source` yields, compressed, as fast as it is read. What it holds back for a better compression comes out when the source
 * is silent for a moment; with `eager` after each piece. It fails with the error of the source, and ends it when it is destroyed.
 */
export function encoded(source: Readable, encoder: Encoder, eager: boolean): Readable {
  async function* pieces(): AsyncGenerator<string | Uint8Array> {
    let timer: NodeJS.Timeout | undefined;
    try {
      for await (const piece of source) {
        clearTimeout(timer);
        checkPiece(piece);
        yield piece;
        // It asks for the next one: this one has been written to the encoder.
        if (eager) encoder.flush();
        else timer = setTimeout(() => void (encoder.destroyed || encoder.flush()), SILENCE_MS);
      }
    } finally {
      clearTimeout(timer);
    }
  }
  // Who reads the encoder gets its error.
  pipeline(Readable.from(pieces()), encoder, (failure) => {
    source.destroy(failure ?? undefined);
  });
  return encoder;
}

/** Send a body that is there as a whole, piece by piece. A client that goes away ends it; it never rejects. */
export function sendEncoded(out: ServerResponse, encoder: Encoder, body: string | Uint8Array): Promise<void> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  function* pieces(): Generator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
  }
  return whenSent(Readable.from(pieces()), encoder, out).catch(() => {});
}
