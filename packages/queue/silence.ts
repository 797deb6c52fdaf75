import type { IRedisClient } from 'bullmq';
import { settledWithin } from 'fwkit/http';

export interface SilenceOptions {
  readonly client: IRedisClient;
  /** A key that may be asked for. */
  readonly key: string;
  /** How long the client may hear nothing, in milliseconds; asked for each time. */
  readonly giveUp: () => number;
  /** Called before another connection takes the place of one that is silent. */
  readonly onSilence: (why: string) => void;
  /** Called when that is ready. */
  readonly onRenewed: () => void;
}

/**
 * Has a client connect anew when it hears nothing: a network can swallow all without an end, and clients wait for ever then.
 * BullMQ watches those connections alone that wait for jobs.
 */
export class Silence {
  readonly #options: SilenceOptions;
  #heardAt = performance.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SilenceOptions) {
    this.#options = options;
    const hear = (): void => {
      this.#heardAt = performance.now();
    };
    // A client that says what is wrong goes on trying by itself.
    for (const event of ['ready', 'error']) options.client.on(event, hear);
    this.#next();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #next(): void {
    this.#timer = setTimeout(() => void this.#look(), this.#options.giveUp() / 2).unref();
  }

  async #look(): Promise<void> {
    const { client, key, giveUp, onSilence, onRenewed } = this.#options;
    const limit = giveUp();
    if (client.status === 'ready') {
      const answer = client.get(key);
      if ((await settledWithin(answer, limit / 2)) && (await isAnswered(answer)))
        this.#heardAt = performance.now();
    }
    if (this.#timer === undefined) return;
    if (performance.now() - this.#heardAt >= limit) {
      onSilence(`nothing was heard for ${limit} ms`);
      this.#heardAt = performance.now();
      client.off('ready', onRenewed);
      client.once('ready', onRenewed);
      client.disconnect(true);
    }
    this.#next();
  }
}

const isAnswered = (answer: Promise<unknown>): Promise<boolean> =>
  answer.then(
    () => true,
    () => false,
  );
