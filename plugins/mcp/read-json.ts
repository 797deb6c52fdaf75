import type { Readable } from 'node:stream';
import { parse } from 'secure-json-parse';
import type { CloveRequest } from '../http/index.js';

/** Read the body, which the route leaves unread, as JSON. Undefined where it is none. Rejects with a refusal of its size. */
export async function readJson({ body }: CloveRequest): Promise<unknown> {
  const bytes = await collect(body as Readable);
  try {
    return parse(bytes.toString(), null, { protoAction: 'remove', constructorAction: 'remove' }) ?? undefined;
  } catch {
    return undefined;
  }
}

function collect(stream: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.once('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    stream.once('error', reject);
  });
}
