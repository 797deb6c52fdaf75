import { parse as parseJson } from 'secure-json-parse';
import { coded } from '../../kernel/index.js';
import type { Message, Sendable } from './socket.js';

/** A message to one client or to many. */
export interface Outgoing {
  readonly data: string | Uint8Array;
  /** The message on the wire, made once for all who get it. */
  readonly frame: Buffer;
}

const TEXT = 0x1;
const BINARY = 0x2;
const FINAL = 0x80;

/** Encode a message. Throws TypeError for what JSON cannot represent. */
export function outgoing(value: Sendable): Outgoing {
  const data = dataOf(value);
  return { data, frame: frameOf(data) };
}

export function dataOf(value: unknown): string | Uint8Array {
  if (typeof value === 'string' || value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined)
    throw coded(
      'FWK502',
      new TypeError(`a message is text, bytes or what JSON has, not a value of type ${typeof value}`),
    );
  return text;
}

/** The same, but for text, which becomes JSON as all else that is not bytes. */
export const jsonDataOf = (value: unknown): string | Uint8Array =>
  dataOf(typeof value === 'string' ? JSON.stringify(value) : value);

/**
 * One unmasked, uncompressed frame (RFC 6455 §5.2) in one piece. `ws` creates head and payload for each receiver and
 * writes them as two pieces, which takes twice as long.
 */
function frameOf(data: string | Uint8Array): Buffer {
  const isText = typeof data === 'string';
  const length = isText ? Buffer.byteLength(data) : data.byteLength;
  const head = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = FINAL | (isText ? TEXT : BINARY);
  if (head === 2) frame[1] = length;
  else if (head === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  if (isText) frame.write(data, head);
  else frame.set(data, head);
  return frame;
}

/** The value of a message of JSON text, without `__proto__`. Throws SyntaxError for any other message. */
export function jsonOf(message: Message): unknown {
  if (typeof message !== 'string') throw new SyntaxError('bytes are not JSON text');
  return parseJson(message);
}
