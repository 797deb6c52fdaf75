import { Link } from './link.js';
import type { Random } from './random.js';
import { strangersIn, tokenOf } from './token.js';

/** A failure in one exchange. */
export interface Complaint {
  /** `hang`, `wrong answer`, … */
  readonly kind: string;
  readonly detail: string;
}

/** One exchange: the tools of a scenario, and its results. */
export class Play {
  readonly complaints: Complaint[] = [];
  readonly links: Link[] = [];
  /** A route that throws was asked for. */
  mayFail = false;
  #tokens = 0;

  constructor(
    readonly number: number,
    readonly random: Random,
    readonly seed: number,
    readonly port: number,
  ) {}

  /** Another one for each request. */
  token(): string {
    this.#tokens += 1;
    return tokenOf(this.seed, this.number, this.#tokens);
  }

  /** A request that must never be answered; its route records this exchange. */
  bait(): string {
    return `GET /api/smuggled?by=${this.number} HTTP/1.1\r\nHost: x\r\n\r\n`;
  }

  /** Throws `Gone` if the server accepts no connection. */
  async open(): Promise<Link> {
    const link = await Link.open(this.port);
    if (!link) throw new Gone();
    this.links.push(link);
    return link;
  }

  complain(kind: string, detail: string): void {
    this.complaints.push({ kind, detail });
  }

  /** Checks everything received and closes the connections. */
  finish(): void {
    for (const link of this.links) {
      link.destroy();
      const text = Buffer.concat(link.came).toString('latin1');
      const strangers = strangersIn(text, this.seed, this.number);
      if (strangers.length > 0)
        this.complain('answer of another request', `tokens of ${strangers.join()} came`);
      if (text !== '' && !text.startsWith('HTTP/1.1 ')) this.complain('no response', text.slice(0, 80));
      const failed = /^HTTP\/1\.1 500 [\s\S]*?\r\n\r\n.{0,300}/m.exec(text);
      if (failed && !this.mayFail) this.complain('500', failed[0].replace(/[\r\n]+/g, ' | '));
    }
  }
}

/** The server accepts no connection; the process monitor reports the reason. */
export class Gone extends Error {}
