import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { error } from 'fwkit';
import { asAnswer, type Claim } from './space.js';

/**
 * Write a stream to a new file, piece by piece: as much is in memory as is between the socket and the disk. Resolves with its SHA-256, in hex,
 * when it is on the disk. Rejects with an answer where it cannot be kept; what is there of it then is for the caller to remove. `stall` is
 * how many milliseconds may pass without a byte.
 */
export async function write(source: Readable, path: string, claim: Claim, stall: number): Promise<string> {
  const stalled = new AbortController();
  const timer = setTimeout(() => stalled.abort(), stall);
  const hash = createHash('sha256');

  async function* counted(pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      timer.refresh();
      claim.add(piece.length);
      hash.update(piece);
      yield piece;
    }
  }

  try {
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(source, counted, file, { signal: stalled.signal });
    return hash.digest('hex');
  } catch (thrown) {
    if (stalled.signal.aborted) throw error(408, `Nothing has come for ${stall / 1000} seconds.`);
    throw asAnswer(thrown);
  } finally {
    clearTimeout(timer);
  }
}
