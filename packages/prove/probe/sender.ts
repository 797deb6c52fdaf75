import { Agent, type IncomingHttpHeaders, type IncomingMessage, request as requestOver } from 'node:http';
import { clearTimeout, setImmediate, setTimeout } from 'node:timers';
import type { ProbeRequest } from './requests.js';

/** Connections that are open at once. */
const CONNECTIONS = 12;
/** Requests over one connection. */
const PER_CONNECTION = 16;
const TOO_MANY = 429;
/** How long an answer is awaited, in milliseconds. */
const PATIENCE_MS = 3_000;

/** The head of the response to a request, or why it is missing: no answer within 3 s, or a closed connection. */
export type Outcome =
  | { readonly status: number; readonly headers: IncomingHttpHeaders }
  | 'silent'
  | 'closed';

export interface Letter {
  readonly request: ProbeRequest;
  readonly isMoot: () => boolean;
  readonly settle: (outcome: Outcome) => void;
  /** Called with the body of the response, before `settle`. */
  readonly read?: (body: string) => void;
}

/** Gives each connection an address of its own, so that limits by address don't interfere: 127.0.0.0/8, on Linux and Windows. */
export class Addresses {
  #count = 0;
  /** The system has 127.0.0.1 only. */
  isOne = false;

  next(): { readonly localAddress?: string } {
    if (this.isOne) return {};
    const n = this.#count++;
    const parts = [1 + (Math.floor(n / 64_516) % 254), 1 + (Math.floor(n / 254) % 254), 1 + (n % 254)];
    return { localAddress: `127.${parts.join('.')}` };
  }
}

export class Sender {
  sent = 0;

  constructor(
    private readonly port: number,
    private readonly addresses: Addresses,
  ) {}

  /** Resolves when each letter is settled, or moot. */
  async send(letters: readonly Letter[]): Promise<void> {
    const waiting = letters.values();
    const take = (): Letter | undefined => {
      for (const letter of waiting) if (!letter.isMoot()) return letter;
      return undefined;
    };
    const again: (readonly [Letter, Outcome])[] = [];
    const work = async (): Promise<void> => {
      let agent = this.#agent();
      for (let letter = take(), count = 1; letter; letter = take(), count += 1) {
        this.sent += 1;
        const outcome = await this.#exchange(agent, letter);
        const isLimited = typeof outcome === 'string' || outcome.status === TOO_MANY;
        if (isLimited) again.push([letter, outcome]);
        else letter.settle(outcome);
        if (count % PER_CONNECTION > 0) continue;
        agent.destroy();
        agent = this.#agent();
      }
      agent.destroy();
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
    // There may have been too many connections, or requests from one address, so these requests are repeated alone.
    let isHanging = false;
    for (const [letter, before] of again) {
      if (letter.isMoot()) continue;
      const agent = this.#agent();
      // If one of them gets no answer again, the process isn't busy.
      const outcome: Outcome =
        isHanging && before === 'silent' ? before : await this.#exchange(agent, letter);
      isHanging ||= outcome === 'silent';
      letter.settle(outcome);
      agent.destroy();
    }
  }

  #agent(): Agent {
    return new Agent({ keepAlive: true, maxSockets: 1, ...this.addresses.next() });
  }

  /** Sends a request, and reads its response to the end. Never rejects. */
  #exchange(agent: Agent, { request: { method, target, headers, body }, read }: Letter): Promise<Outcome> {
    return new Promise((resolve) => {
      let outcome: Outcome = 'closed';
      const note = ({ statusCode = 0, headers }: IncomingMessage): void => {
        outcome = { status: statusCode, headers };
      };
      const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
      const sent = requestOver({
        ...{ host: '127.0.0.1', port: this.port, agent, method, path: target, setHost: false },
        headers: { ...headers, ...length },
      });
      const giveUp = (): void => {
        if (outcome === 'closed') outcome = 'silent';
        sent.destroy();
      };
      // A process that was busy first reads an answer that has already arrived.
      const timer = setTimeout(() => setImmediate(giveUp), PATIENCE_MS);
      sent.on('response', (response) => {
        note(response);
        if (!read) return void response.resume();
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.once('end', () => read(text));
      });
      sent.on('upgrade', (response, socket) => {
        note(response);
        socket.destroy();
      });
      sent.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
        if (/^(EADDRNOTAVAIL|EINVAL)$/.test(code)) this.addresses.isOne = true;
      });
      sent.on('close', () => {
        clearTimeout(timer);
        resolve(outcome);
      });
      sent.end(body);
    });
  }
}
