import type { Random } from './random.js';

/** A WebSocket frame (RFC 6455 §5.2). */
export interface Frame {
  readonly opcode: number;
  readonly payload: Buffer;
  readonly fin?: boolean;
  readonly masked?: boolean;
  /** RSV1 to RSV3, at their position in the first byte. */
  readonly reserved?: number;
  /** The declared length, if it differs from the real one. */
  readonly said?: number;
}

export const [CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG] = [0, 1, 2, 8, 9, 10];

export function frame({
  opcode,
  payload,
  fin = true,
  masked = true,
  reserved = 0,
  said = payload.length,
}: Frame): Buffer {
  const head = [(fin ? 0x80 : 0) | reserved | opcode];
  const bit = masked ? 0x80 : 0;
  if (said < 126) head.push(bit | said);
  else if (said < 65_536) head.push(bit | 126, said >> 8, said & 255);
  else
    head.push(
      bit | 127,
      0,
      0,
      0,
      Math.floor(said / 2 ** 32) & 255,
      (said >>> 24) & 255,
      (said >>> 16) & 255,
      (said >>> 8) & 255,
      said & 255,
    );
  if (!masked) return Buffer.concat([Buffer.from(head), payload]);
  const mask = [0x12, 0x34, 0x56, 0x78];
  return Buffer.concat([
    Buffer.from([...head, ...mask]),
    payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0)),
  ]);
}

/** A message in one frame, or in several with pings between them. */
export function message(opcode: number, payload: Buffer, random: Random): Buffer {
  if (random.chance(60)) return frame({ opcode, payload });
  const pieces: Buffer[] = [];
  for (let at = 0, first = true; first || at < payload.length; first = false) {
    const piece = payload.subarray(at, at + random.between(1, Math.max(1, payload.length)));
    at += piece.length;
    pieces.push(frame({ opcode: first ? opcode : CONTINUATION, payload: piece, fin: at >= payload.length }));
    if (random.chance(30)) pieces.push(frame({ opcode: PING, payload: random.bytes(random.between(0, 20)) }));
  }
  return Buffer.concat(pieces);
}

/** A frame that is well-formed only by accident. */
export function anyFrame(random: Random): Buffer {
  const payload = random.bytes(random.pick([0, 1, 2, 20, 125, 126, 2_000, 70_000]));
  return frame({
    opcode: random.between(0, 15),
    payload,
    fin: random.chance(70),
    masked: random.chance(80),
    reserved: random.chance(15) ? random.pick([0x40, 0x20, 0x10, 0x70]) : 0,
    ...(random.chance(15) ? { said: random.pick([0, 5, 126, 65_536, 1_048_577, 2 ** 31, 2 ** 40]) } : {}),
  });
}

/** The frames that a server has sent, unmasked and whole. */
export function framesIn(bytes: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at + 2 <= bytes.length; ) {
    const [first = 0, second = 0] = bytes.subarray(at, at + 2);
    const short = second & 127;
    const start = at + (short === 126 ? 4 : short === 127 ? 10 : 2);
    if (start > bytes.length) break;
    const length =
      short === 126
        ? bytes.readUInt16BE(at + 2)
        : short === 127
          ? Number(bytes.readBigUInt64BE(at + 2))
          : short;
    if (start + length > bytes.length) break;
    frames.push({
      opcode: first & 15,
      fin: first >= 128,
      masked: second >= 128,
      payload: bytes.subarray(start, start + length),
    });
    at = start + length;
  }
  return frames;
}

/** The head of a handshake (RFC 6455 §4.1). */
export const handshakeHead = (path: string, more: readonly string[] = []): Buffer =>
  Buffer.from(
    [
      `GET ${path} HTTP/1.1`,
      'Host: localhost',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ...more,
      '',
      '',
    ].join('\r\n'),
    'latin1',
  );
