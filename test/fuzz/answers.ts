/** A response as it came. */
export interface Answer {
  readonly status: number;
  /** Names in lower case; of several values the last counts. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

interface Head extends Omit<Answer, 'body'> {
  /** Bytes, or how the length is transmitted. */
  readonly length: number | 'chunked' | 'close';
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** Parses the responses on one connection (RFC 9112 §6). */
export class Answers {
  /** All that are complete, in order. Interim ones (1xx) are counted only. */
  readonly done: Answer[] = [];
  interim = 0;
  /** The protocol error in the data received. */
  broken: string | undefined;
  /** Whether the connection was upgraded; `rest` has the new protocol's bytes. */
  isUpgraded = false;
  readonly #methods: readonly string[];
  #bytes: Buffer = Buffer.alloc(0);
  #head: Head | undefined;
  #body: Buffer[] = [];

  /** `methods`: the methods of the requests, in order. */
  constructor(methods: readonly string[]) {
    this.#methods = methods;
  }

  /** Data received that does not complete a response. */
  get rest(): Buffer {
    return this.#bytes;
  }

  push(bytes: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    while (this.broken === undefined && !this.isUpgraded && this.#step());
  }

  /** The server has ended the connection. */
  end(): void {
    if (this.#head?.length === 'close') this.#finish();
    else if (this.#head) this.broken ??= 'the connection ended in the middle of a body';
    else if (this.#bytes.length > 0 && !this.isUpgraded)
      this.broken ??= 'the connection ended in the middle of a head';
  }

  #step(): boolean {
    if (this.#head === undefined) return this.#readHead();
    const { length } = this.#head;
    if (length === 'chunked') return this.#readChunk();
    if (length === 'close') return this.#take(this.#bytes.length);
    const left = length - this.#body.reduce((sum, piece) => sum + piece.length, 0);
    if (left > 0) return this.#take(Math.min(left, this.#bytes.length));
    return this.#finish();
  }

  #readHead(): boolean {
    const end = this.#bytes.indexOf(HEAD_END);
    if (end === -1) return this.#bytes.length > 100_000 ? this.#fail('a head does not end') : false;
    const [first = '', ...lines] = this.#bytes.toString('latin1', 0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
    if (!status) return this.#fail(`"${first.slice(0, 80)}" is no status line`);
    this.#bytes = this.#bytes.subarray(end + 4);
    const headers = new Map<string, string>();
    for (const line of lines) {
      const [, name, value] = /^([\w!#$%&'*+.^`|~-]+): ?(.*)$/.exec(line) ?? [];
      if (name === undefined || value === undefined) return this.#fail(`"${line.slice(0, 80)}" is no header`);
      headers.set(name.toLowerCase(), value);
    }
    if (status === 101) this.isUpgraded = true;
    else if (status < 200) this.interim += 1;
    if (status < 200 && status !== 101) return true;
    this.#head = { status, headers, length: this.#lengthOf(status, headers) };
    if (status === 101) this.#finish();
    return true;
  }

  #lengthOf(status: number, headers: ReadonlyMap<string, string>): Head['length'] {
    if (status < 200 || status === 204 || status === 304) return 0;
    if (this.#methods[this.done.length] === 'HEAD') return 0;
    if (headers.get('transfer-encoding') === 'chunked') return 'chunked';
    const length = headers.get('content-length');
    return length === undefined ? 'close' : Number(length);
  }

  #readChunk(): boolean {
    const end = this.#bytes.indexOf('\r\n');
    if (end === -1) return false;
    const size = Number.parseInt(this.#bytes.toString('latin1', 0, end), 16);
    if (Number.isNaN(size)) return this.#fail('a chunk has no size');
    if (this.#bytes.length < end + 2 + size + 2) return false;
    this.#body.push(this.#bytes.subarray(end + 2, end + 2 + size));
    this.#bytes = this.#bytes.subarray(end + 2 + size + 2);
    return size === 0 ? this.#finish() : true;
  }

  #take(count: number): boolean {
    if (count === 0) return false;
    this.#body.push(this.#bytes.subarray(0, count));
    this.#bytes = this.#bytes.subarray(count);
    return true;
  }

  #finish(): boolean {
    if (this.#head) this.done.push({ ...this.#head, body: Buffer.concat(this.#body) });
    this.#head = undefined;
    this.#body = [];
    return this.#bytes.length > 0;
  }

  #fail(why: string): boolean {
    this.broken = why;
    return false;
  }
}
