/** The most bytes before the payload of a frame: flags and length, extended length, mask (RFC 6455 §5.2). */
export const MAX_HEAD_BYTES = 14;

/** Follows the frames of a client, and keeps the bytes of the message that is not complete yet. */
export class FrameTail {
  readonly #head = Buffer.alloc(MAX_HEAD_BYTES);
  #headLength = 0;
  /** The bytes of the current frame's payload that have not arrived yet. */
  #missing = 0;
  /** Whether further frames belong to the current message. */
  #isFragmented = false;
  #kept: Buffer[] = [];
  #size = 0;

  /** Beyond `limit` bytes nothing is kept: `ws` limits a message, but not the control frames between its fragments. */
  constructor(private readonly limit: number) {}

  get isOverLimit(): boolean {
    return this.#size > this.limit;
  }

  /** The bytes since the end of the last complete message. */
  get bytes(): Buffer {
    return Buffer.concat(this.#kept);
  }

  push(chunk: Buffer): void {
    let end = 0;
    let at = 0;
    while (at < chunk.length) {
      if (this.#missing === 0) {
        this.#head[this.#headLength++] = chunk[at++] as number;
        if (!this.#readHead()) continue;
      }
      const step = Math.min(this.#missing, chunk.length - at);
      this.#missing -= step;
      at += step;
      if (this.#missing === 0 && !this.#isFragmented) end = at;
    }
    if (end > 0) {
      this.#kept = [];
      this.#size = 0;
    }
    if (end === chunk.length) return;
    this.#size += chunk.length - end;
    // A copy, because ws unmasks the payload of complete frames in place.
    if (this.isOverLimit) this.#kept = [];
    else this.#kept.push(Buffer.from(chunk.subarray(end)));
  }

  /** Whether the head of the frame is complete. */
  #readHead(): boolean {
    if (this.#headLength < 2) return false;
    const head = this.#head;
    const flags = head[0] as number;
    const second = head[1] as number;
    const short = second & 0x7f;
    const extended = short === 126 ? 2 : short === 127 ? 8 : 0;
    if (this.#headLength < 2 + extended + (second & 0x80 ? 4 : 0)) return false;
    this.#headLength = 0;
    this.#missing =
      extended === 0 ? short : extended === 2 ? head.readUInt16BE(2) : Number(head.readBigUInt64BE(2));
    // Control frames may come between the fragments of a message.
    if ((flags & 0x08) === 0) this.#isFragmented = (flags & 0x80) === 0;
    return true;
  }
}
