/** The most bytes of a head, or of a line between pieces. */
const MAX_HEAD_BYTES = 65_536;
/** The most bytes of a body, which nobody reads. */
const MAX_BODY_BYTES = 8_388_608;

export interface ReaderEvents {
  /** A head has come; `isHeadless` says whether no body follows it. */
  onHead(status: number, head: string): { readonly hasNoBody: boolean };
  /** The response is complete. */
  onEnd(): void;
  /** What comes is not HTTP, or more than is read. */
  onBroken(): void;
}

type Expecting =
  | { readonly what: 'head' | 'size' | 'trailer' | 'close' }
  | { readonly what: 'bytes'; left: number; readonly next: 'end' | 'size' };

const EMPTY = Buffer.alloc(0);

/** Reads the responses of one connection, one after the other (RFC 9112). Bodies are passed over, and nothing of them is kept. */
export class ResponseReader {
  readonly #events: ReaderEvents;
  #rest: Buffer = EMPTY;
  #expecting: Expecting = { what: 'head' };
  #isBroken = false;
  #bodyBytes = 0;

  constructor(events: ReaderEvents) {
    this.#events = events;
  }

  push(piece: Buffer): void {
    if (this.#isBroken) return;
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    while (!this.#isBroken && this.#step());
  }

  /** Returns whether there may be more in what has come. */
  #step(): boolean {
    const expecting = this.#expecting;
    if (this.#rest.length === 0) return false;
    if (expecting.what === 'close') return this.#pass(this.#rest.length) && false;
    if (expecting.what === 'bytes') {
      const taken = Math.min(expecting.left, this.#rest.length);
      if (!this.#pass(taken)) return false;
      expecting.left -= taken;
      if (expecting.left > 0) return false;
      return expecting.next === 'end' ? this.#end() : this.#expect({ what: 'size' });
    }
    const end = expecting.what === 'head' ? '\r\n\r\n' : '\r\n';
    const at = this.#rest.indexOf(end);
    if (at < 0) return this.#rest.length > MAX_HEAD_BYTES ? this.#break() : false;
    const text = this.#rest.toString('latin1', 0, at);
    this.#rest = this.#rest.subarray(at + end.length);
    if (expecting.what === 'head') return this.#head(text);
    if (expecting.what === 'trailer') return text === '' ? this.#end() : true;
    const size = Number.parseInt(text, 16);
    if (Number.isNaN(size)) return this.#break();
    if (size === 0) return this.#expect({ what: 'trailer' });
    return this.#expect({ what: 'bytes', left: size + 2, next: 'size' });
  }

  #head(text: string): boolean {
    const status = Number(/^HTTP\/1\.[01] ([1-5]\d\d)/.exec(text)?.[1]);
    if (Number.isNaN(status)) return this.#break();
    // 100 and 103 come before the response; 101 ends what is HTTP.
    if (status < 200 && status !== 101) return true;
    const { hasNoBody } = this.#events.onHead(status, text);
    if (hasNoBody || status === 101 || status === 204 || status === 304) return this.#end();
    if (/^transfer-encoding:.*chunked/im.test(text)) return this.#expect({ what: 'size' });
    const length = Number(/^content-length: *(\d+)/im.exec(text)?.[1]);
    if (Number.isNaN(length)) return this.#expect({ what: 'close' });
    return length === 0 ? this.#end() : this.#expect({ what: 'bytes', left: length, next: 'end' });
  }

  #pass(bytes: number): boolean {
    this.#rest = this.#rest.subarray(bytes);
    this.#bodyBytes += bytes;
    return this.#bodyBytes <= MAX_BODY_BYTES || this.#break();
  }

  #end(): true {
    this.#bodyBytes = 0;
    this.#expecting = { what: 'head' };
    this.#events.onEnd();
    return true;
  }

  #expect(expecting: Expecting): true {
    this.#expecting = expecting;
    return true;
  }

  #break(): false {
    this.#isBroken = true;
    this.#rest = EMPTY;
    this.#events.onBroken();
    return false;
  }
}
