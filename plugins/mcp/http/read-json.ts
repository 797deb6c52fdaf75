import type { Readable } from 'node:stream';
import { parse } from 'secure-json-parse';
import { Bytes, HttpProblem, type HttpRequest, hasBody, isDeeper } from '../../http/index.js';
import type { ByteBudget } from '../sdk/byte-budget.js';

/** The budget has no room for the rest of the body. */
export class NoRoom extends Error {}

/**
 * Read the body, which the route leaves unread, as JSON. Undefined where it is not JSON. Rejects with NoRoom when
 * `budget` is used up, with an HttpProblem where it is too large or has more than `maxDepth` levels, and when the client
 * disconnects.
 */
export async function readJson(
  { body, raw }: HttpRequest,
  budget: ByteBudget,
  maxDepth: number,
): Promise<unknown> {
  // Newer versions of Node have ended such a request by now.
  if (!hasBody(raw)) return undefined;
  const text = (await collect(body as Readable, budget)).toString();
  if (isDeeper(text, maxDepth))
    throw new HttpProblem(400, `The body is nested deeper than the ${maxDepth} levels that are taken`);
  try {
    return parse(text, null, { protoAction: 'remove', constructorAction: 'remove' }) ?? undefined;
  } catch {
    return undefined;
  }
}

function collect(stream: Readable, budget: ByteBudget): Promise<Buffer> {
  const bytes = new Bytes();
  return new Promise((resolve, reject) => {
    if (stream.destroyed) return reject(left());
    const take = (chunk: Buffer): void => {
      if (budget.take(chunk.length)) return bytes.add(chunk);
      stream.off('data', take);
      reject(new NoRoom());
    };
    stream.on('data', take);
    stream.once('end', () => resolve(bytes.take()));
    stream.once('error', reject);
    stream.once('close', () => reject(left()));
  });
}

const left = (): Error =>
  Object.assign(new Error('The client went away before its message was complete'), { code: 'ECONNRESET' });
