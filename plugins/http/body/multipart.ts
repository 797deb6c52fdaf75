import { onDemand } from '../../../kernel/index.js';
import type { BodyLimits } from './limits.js';
import type { Lost } from './observed-stream.js';
import type { Part } from './part.js';

const splitting = onDemand(() => import('./multipart-parser.js'));

/**
 * The parts of a multipart form (RFC 7578). Nothing is read before it is asked for, and no more than one chunk ahead.
 * Throws an HttpProblem for a form that is malformed or over a limit; field values may have `bodyLimit` bytes. However it
 * ends, `chunks` is closed. `lost` gets an HttpProblem that ends a file whose stream has no listener.
 */
export async function* partsOf(
  chunks: AsyncGenerator<Buffer, void, undefined>,
  boundary: string,
  limits: BodyLimits,
  lost: Lost = () => {},
): AsyncGenerator<Part, void, undefined> {
  const { Splitter } = await splitting();
  const splitter = new Splitter(chunks, boundary, limits, lost);
  try {
    for (let part = await splitter.next(); part !== undefined; part = await splitter.next()) yield part;
  } finally {
    splitter.close();
  }
}
