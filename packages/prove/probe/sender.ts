import { Agent, type IncomingHttpHeaders, type IncomingMessage, request as requestOver } from 'node:http';
import { clearTimeout, setTimeout } from 'node:timers';
import type { ProbeRequest } from './requests.js';

/** Connections that are open at once. */
const CONNECTIONS = 12;
/** Requests over one connection. */
const PER_CONNECTION = 16;
const TOO_MANY = 429;

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
    const closed: Letter[] = [];
    const work = async (): Promise<void> => {
      let agent = this.#agent();
      for (let letter = take(), count = 1; letter; letter = take(), count += 1) {
        this.sent += 1;
        const outcome = await this.#exchange(letter, agent);
        if (outcome === 'closed') closed.push(letter);
        else letter.settle(outcome);
        if (count % PER_CONNECTION > 0) continue;
        agent.destroy();
        agent = this.#agent();
      }
      agent.destroy();
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
    // The server may have refused a connection because there were too many: these requests are repeated one by one.
    for (const letter of closed) if (!letter.isMoot()) letter.settle(await this.#alone(letter));
  }

  async #exchange(letter: Letter, agent: Agent): Promise<Outcome> {
    const outcome = await exchange(this.port, agent, letter);
    if (outcome === 'no such address') this.addresses.isOne = true;
    else if (typeof outcome === 'string' || outcome.status !== TOO_MANY) return outcome;
    // A limit counts by address: the next request comes from another.
    return this.#alone(letter);
  }

  async #alone(letter: Letter): Promise<Outcome> {
    const agent = this.#agent();
    const outcome = await exchange(this.port, agent, letter);
    agent.destroy();
    return outcome === 'no such address' ? 'closed' : outcome;
  }

  #agent(): Agent {
    return new Agent({ keepAlive: true, maxSockets: 1, ...this.addresses.next() });
  }
}

/** Send a request, and read its response to the end. Never rejects. */
function exchange(
  port: number,
  agent: Agent,
  { request: { method, target, headers, body }, read }: Letter,
): Promise<Outcome | 'no such address'> {
  return new Promise((resolve) => {
    let outcome: Outcome | 'no such address' = 'closed';
    const note = ({ statusCode = 0, headers }: IncomingMessage): void => {
      outcome = { status: statusCode, headers };
    };
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    const sent = requestOver({
      host: '127.0.0.1',
      port,
      agent,
      method,
      path: target,
      headers: { ...headers, ...length },
      setHost: false,
    });
    const stop = afterSilence(() => {
      if (outcome === 'closed') outcome = 'silent';
      sent.destroy();
    });
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
    sent.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'EADDRNOTAVAIL' || code === 'EINVAL') outcome = 'no such address';
    });
    sent.on('close', () => {
      stop();
      resolve(outcome);
    });
    sent.end(body);
  });
}

/** How long an answer is awaited, in milliseconds. */
const PATIENCE_MS = 3_000;

/** A process that was busy reads an answer that has already arrived within this time, in milliseconds. */
const LATE_MS = 200;

/** Calls `act` after 3 s. Returns a function that prevents it. */
function afterSilence(act: () => void): () => void {
  let timer = setTimeout(() => {
    timer = setTimeout(act, LATE_MS);
  }, PATIENCE_MS);
  return () => clearTimeout(timer);
}
