import { connect } from 'node:net';
import { clearTimeout, setImmediate, setTimeout } from 'node:timers';

/** Connections that are open at once. */
const CONNECTIONS = 12;
/** Requests that are sent over a connection before the first is answered. */
const DEPTH = 16;
const TOO_MANY = 429;

/** What became of a request: its status, or why there is none. */
export type Outcome = { readonly status: number; readonly head: string } | 'silent' | 'closed';

export interface Letter {
  readonly bytes: Buffer;
  readonly hasNoBody: boolean;
  /** Nothing else may be on its connection. */
  readonly isAlone: boolean;
  /** Whether its answer is of no use any more, so that it need not be sent. */
  readonly isMoot: () => boolean;
  /** Called once, unless it is moot. */
  readonly settle: (outcome: Outcome) => void;
}

/** Each visitor comes from elsewhere: all of 127.0.0.0/8 is this machine where the system says so, as Linux and Windows do. */
export class Addresses {
  #count = 0;
  #isOne = false;

  /** Only the one address is left. */
  useOne(): void {
    this.#isOne = true;
  }

  /** The next of 127.1.0.1 to 127.254.254.254; undefined where there is but one. */
  next(): string | undefined {
    if (this.#isOne) return undefined;
    const n = this.#count++;
    return `127.${1 + (Math.floor(n / 64_516) % 254)}.${1 + (Math.floor(n / 254) % 254)}.${1 + (n % 254)}`;
  }
}

/** Sends requests to one server, many at a time. */
export class Sender {
  readonly #port: number;
  readonly #addresses: Addresses;
  /** Those that were closed without an answer. */
  readonly #closed: Letter[] = [];
  /** How many requests were sent, those that had to be repeated counted once. */
  sent = 0;

  constructor(port: number, addresses: Addresses) {
    this.#port = port;
    this.#addresses = addresses;
  }

  /** Resolves when each letter is settled, or moot. */
  async send(letters: readonly Letter[]): Promise<void> {
    let next = 0;
    const batch = (): Letter[] => {
      const taken: Letter[] = [];
      for (; next < letters.length && taken.length < DEPTH; next += 1) {
        const letter = letters[next];
        if (!letter || letter.isMoot()) continue;
        if (letter.isAlone && taken.length > 0) return taken;
        taken.push(letter);
        if (!letter.isAlone) continue;
        next += 1;
        return taken;
      }
      return taken;
    };
    const work = async (): Promise<void> => {
      for (let taken = batch(); taken.length > 0; taken = batch()) {
        this.sent += taken.length;
        await this.#deliver(taken);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
    // The server may have closed what were too many connections for it: these come one after the other.
    for (const letter of this.#closed.splice(0)) await this.#last(letter);
  }

  async #deliver(letters: readonly Letter[]): Promise<void> {
    let rest = letters.filter((letter) => !letter.isMoot());
    while (rest.length > 0) {
      const limited: Letter[] = [];
      const { answered, ending } = await this.#exchange(rest, limited);
      // A limit counts by address: the next one is another's.
      for (const letter of limited) await this.#alone(letter);
      const [first, ...others] = rest.slice(answered);
      if (!first) return;
      if (answered === 0) {
        if (rest.length === 1) this.#lose(first, ending);
        else await this.#alone(first);
        rest = others.filter((letter) => !letter.isMoot());
      } else rest = [first, ...others].filter((letter) => !letter.isMoot());
    }
  }

  async #alone(letter: Letter): Promise<void> {
    if (letter.isMoot()) return;
    const { answered, ending } = await this.#exchange([letter], undefined);
    if (answered === 0) this.#lose(letter, ending);
  }

  async #last(letter: Letter): Promise<void> {
    if (letter.isMoot()) return;
    const { answered, ending } = await this.#exchange([letter], undefined);
    if (answered === 0) letter.settle(ending === 'silent' ? 'silent' : 'closed');
  }

  #lose(letter: Letter, ending: Exchanged['ending']): void {
    if (ending === 'silent') letter.settle('silent');
    else this.#closed.push(letter);
  }

  /** Where `limited` is given, it gets the letters that were refused for coming too often. */
  async #exchange(letters: readonly Letter[], limited: Letter[] | undefined): Promise<Exchanged> {
    const sendings = letters.map((letter): Sending => {
      const { bytes, hasNoBody } = letter;
      const onAnswer = (status: number, head: string): void => {
        if (status === TOO_MANY && limited) limited.push(letter);
        else letter.settle({ status, head });
      };
      return { bytes, hasNoBody, onAnswer };
    });
    const address = this.#addresses.next();
    const exchanged = await exchange(this.#port, sendings, address);
    if (exchanged.ending !== 'address' || address === undefined) return exchanged;
    this.#addresses.useOne();
    return exchange(this.#port, sendings, undefined);
  }
}

/** A request on its way, in bytes. */
interface Sending {
  readonly bytes: Buffer;
  readonly hasNoBody: boolean;
  /** Called once with the status of the response, and its head. */
  readonly onAnswer: (status: number, head: string) => void;
}

/** How long an answer is waited for, in milliseconds. */
const PATIENCE_MS = 3_000;
/** A timer that is later by so much tells of a process that was busy, and nothing of who answers. */
const LATE_MS = 200;
/** How often it is waited on for that reason. */
const MAX_EXTENSIONS = 3;

/** How a connection ended before all was answered. `address` is one that this machine does not have. */
type Ending = 'closed' | 'silent' | 'address' | 'answered';

interface Exchanged {
  /** The number of requests whose response has begun. */
  readonly answered: number;
  readonly ending: Ending;
}

/** Send requests over one connection of its own, all at once, and wait for their responses. Never rejects. */
function exchange(
  port: number,
  sendings: readonly Sending[],
  localAddress: string | undefined,
): Promise<Exchanged> {
  return new Promise((resolve) => {
    let answered = 0;
    let complete = 0;
    let ending: Ending = 'closed';
    let due = 0;
    let extensions = MAX_EXTENSIONS;
    let timer: NodeJS.Timeout | undefined;
    const socket = connect({ port, host: '127.0.0.1', ...(localAddress ? { localAddress } : {}) });
    const end = (how: Ending): void => {
      ending = how;
      socket.destroy();
    };
    const wait = (ms: number): void => {
      clearTimeout(timer);
      due = performance.now() + ms;
      timer = setTimeout(look, ms);
    };
    // What has come is read before it is missed.
    const look = (): void => {
      const isLate = performance.now() - due > LATE_MS;
      if (isLate && extensions-- > 0) return wait(PATIENCE_MS);
      const waitedFor = due;
      setImmediate(() => {
        if (due === waitedFor) end('silent');
      });
    };
    const reader = new ResponseReader({
      onHead(status, head) {
        const sending = sendings[answered];
        answered += 1;
        sending?.onAnswer(status, head);
        wait(PATIENCE_MS);
        return { hasNoBody: sending?.hasNoBody ?? true };
      },
      onEnd() {
        complete += 1;
        if (complete >= sendings.length) end('answered');
      },
      onBroken: () => end('closed'),
    });
    socket.setNoDelay(true);
    socket.once('connect', () => void socket.write(Buffer.concat(sendings.map(({ bytes }) => bytes))));
    socket.on('data', (piece: Buffer) => reader.push(piece));
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'EADDRNOTAVAIL' || code === 'EINVAL') ending = 'address';
    });
    socket.once('close', () => {
      clearTimeout(timer);
      // A body that never ends keeps nobody waiting who has read the head.
      const all = answered >= sendings.length;
      resolve({ answered, ending: all ? 'answered' : ending });
    });
    wait(PATIENCE_MS);
  });
}

/** The most bytes of a head, or of a line between pieces. */
const MAX_HEAD_BYTES = 65_536;
/** The most bytes of a body, which nobody reads. */
const MAX_BODY_BYTES = 8_388_608;

interface ReaderEvents {
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
class ResponseReader {
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
