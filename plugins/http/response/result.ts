/** A body that is sent piece by piece: a Node or web stream, an asynchronous iterator of text or bytes, a Blob. */
export type StreamBody = AsyncIterable<string | Uint8Array> | Blob;

/** Whether `res.stream` sends `value`. Web streams are asynchronous iterables in Node, so one check serves all but Blobs. */
export const isStreamBody = (value: unknown): value is StreamBody =>
  typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || value instanceof Blob);
