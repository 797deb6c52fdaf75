/** What can be sent piece by piece: Node and web streams, asynchronous iterators of text or bytes, Blobs. */
export type StreamBody = AsyncIterable<string | Uint8Array> | Blob;

/** Web streams are asynchronous iterables in Node, so one check serves all but Blobs. */
export const isStreamBody = (value: unknown): value is StreamBody =>
  typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || value instanceof Blob);
