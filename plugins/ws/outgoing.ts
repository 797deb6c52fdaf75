import { coded } from '../../kernel/index.js';
import { CheckedSending, checkedOutput } from '../http/internal.js';
import type { Sendable } from './socket.js';
import type { Entry } from './upgrades.js';

export interface Outgoing {
  readonly data: string | Uint8Array;
  /** The message on the wire, created once for all its receivers. */
  readonly frame: Buffer;
}

const TEXT = 0x1;
const BINARY = 0x2;
const FINAL = 0x80;

/** Encode a message. Throws TypeError for a value that JSON cannot represent. */
export function encodeMessage(value: Sendable): Outgoing {
  const data = dataOf(value);
  return { data, frame: frameOf(data) };
}

function dataOf(value: unknown): string | Uint8Array {
  if (typeof value === 'string' || value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined)
    throw coded(
      'FWK502',
      `a message must be text, bytes or a JSON value, not a value of type ${typeof value}`,
    );
  return text;
}

/** Like `dataOf`, but text becomes JSON too: only bytes are sent unchanged. */
const jsonDataOf = (value: unknown): string | Uint8Array =>
  dataOf(typeof value === 'string' ? JSON.stringify(value) : value);

/** One unmasked frame (RFC 6455 §5.2) in one piece: `ws` writes two pieces, which takes twice as long. */
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

export interface Messages {
  put(data: Sendable, pass: (data: Sendable) => Promise<void> | undefined): Promise<void> | undefined;
  /** Call `then` when all earlier messages have been passed on. */
  after(then: () => void): void;
  /** Resolves when there is room for answers to the next message; undefined if there is room now. */
  room(): Promise<void> | undefined;
  /** Resolves when no message waits to be checked; undefined if none waits now. */
  settled(): Promise<void> | undefined;
}

/** Without a schema, messages are sent as they are. */
const UNCHECKED: Messages = {
  put: (data, pass) => pass(data),
  after: (then) => then(),
  room: () => undefined,
  settled: () => undefined,
};

/** The `Messages` of a handler. `onFailure` gets the error of a message that its schema rejects. */
export function messagesOf(
  { definition, req: { route, path } }: Entry,
  onFailure: (failure: unknown) => void,
): Messages {
  const schema = definition?.send;
  if (!schema) return UNCHECKED;
  const sending = new CheckedSending(onFailure);
  const refusal = `${route.label ?? path}: a sent message does not match the "send" schema`;
  const isChecked = route.meta.checkResponse !== false;
  return {
    // Bytes are sent unchanged, everything else as JSON text.
    put: (data, pass) =>
      sending.put(
        () => (isChecked ? checkedOutput(schema, data, refusal) : data),
        (value) => pass(jsonDataOf(value)),
      ),
    after: (then) =>
      void sending.put(
        () => undefined,
        () => void then(),
      ),
    room: () => sending.room(),
    settled: () => sending.settled(),
  };
}
