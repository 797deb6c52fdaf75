import type { HttpResponse, StreamBody } from '../http/index.js';

type Piece = string | Uint8Array;
type Pieces = AsyncIterable<Piece> & AsyncIterator<Piece>;

/** Whether code of the handler runs when the first piece is asked for: of other streams, only what makes them does. */
export const isGenerator = (body: StreamBody): body is StreamBody & Pieces =>
  Symbol.asyncIterator in body && 'next' in body && typeof body.next === 'function';

/**
 * Send what a generator yields. It runs to its first piece before the head is made, so that the status, type, headers and session
 * values which it sets on its way there are sent.
 */
export async function streamBegun(pieces: Pieces, res: HttpResponse): Promise<void> {
  const first = await pieces.next();
  // It took too long: another response has been sent.
  if (res.sent) return void (await pieces.return?.());
  return res.stream(resumed(first, pieces));
}

/** `first`, and what comes after it. */
function resumed(first: IteratorResult<Piece>, rest: Pieces): Pieces {
  let isBegun = false;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      if (isBegun) return rest.next();
      isBegun = true;
      return Promise.resolve(first);
    },
    return: async () => (await rest.return?.()) ?? { done: true, value: undefined },
  };
}
