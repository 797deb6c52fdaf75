import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { error } from 'fwkit';
import { asAnswer, type Claim } from './space.js';

/**
 * Writes a stream to a new file, chunk by chunk: memory only holds chunks between the socket and the disk. Resolves
 * with the SHA-256 in hex when the file is on the disk. Rejects with an HTTP error if the file can't be stored; the
 * caller removes the partial file. `stall` is the number of milliseconds for which the client may send nothing. The
 * time that the disk takes doesn't count.
 */
export async function write(source: Readable, path: string, claim: Claim, stall: number): Promise<string> {
  const stalled = new AbortController();
  const hash = createHash('sha256');
  const waitForSender = () => setTimeout(() => stalled.abort(), stall);

  async function* counted(pieces: AsyncIterable<Buffer>) {
    let timer = waitForSender();
    try {
      for await (const piece of pieces) {
        clearTimeout(timer);
        claim.add(piece.length);
        hash.update(piece);
        yield piece;
        timer = waitForSender();
      }
    } finally {
      clearTimeout(timer);
    }
  }

  try {
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(source, counted, file, { signal: stalled.signal });
    return hash.digest('hex');
  } catch (thrown) {
    if (stalled.signal.aborted) throw error(408, `The upload sent no data for ${stall / 1000} seconds.`);
    throw asAnswer(thrown);
  }
}
