import { type Exchanged, exchange, type Sending } from './exchange.js';

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
