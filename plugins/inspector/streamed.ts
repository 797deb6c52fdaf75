import type { ServerResponse } from 'node:http';
import type { RequestRecord } from './record.js';

const METHODS = ['write', 'end'] as const;

/** Methods that are here in place of a response's own. */
const keeping = new WeakSet<object>();

/** Have `record` keep what is written of a response piece by piece: streams, events, files, what handlers write themselves. */
export function keepStreamed(out: ServerResponse, record: RequestRecord): void {
  // It has no body, whatever is written.
  if (record.method === 'HEAD') return;
  for (const name of METHODS) {
    const original: unknown = out[name];
    if (typeof original !== 'function') continue;
    const value = function (this: ServerResponse, ...given: unknown[]): unknown {
      const [piece, encoding] = given;
      if (typeof piece === 'string') record.keepPiece(bytesOf(piece, encoding));
      else if (piece instanceof Uint8Array) record.keepPiece(piece);
      return Reflect.apply(original, this, given);
    };
    keeping.add(value);
    Object.defineProperty(out, name, { configurable: true, writable: true, value });
  }
}

/** End that, for a body that is known as a whole: it is written as in production. What others have put in place stays. */
export function keepNoPieces(out: ServerResponse): void {
  for (const name of METHODS)
    if (Object.hasOwn(out, name) && keeping.has(out[name])) Reflect.deleteProperty(out, name);
}

const bytesOf = (text: string, encoding: unknown): string | Buffer =>
  typeof encoding === 'string' && Buffer.isEncoding(encoding) ? Buffer.from(text, encoding) : text;
