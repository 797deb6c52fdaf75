import type { Answer, PostgresClient, Query } from './client.js';

/** A query that waits for its turn, or for its answer. */
export interface Asked {
  readonly answer: Promise<Answer>;
  /** Nobody waits for the answer: if it is not its turn yet, it is not asked. */
  giveUp(): void;
}

interface Waiting {
  readonly query: Query;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (cause: unknown) => void;
  isGivenUp: boolean;
}

/** Asks a client one query at a time, in their order: from version 9 on, pg has no queue of its own. */
export class QueryQueue {
  readonly #client: PostgresClient;
  readonly #waiting: Waiting[] = [];
  #isAsking = false;

  constructor(client: PostgresClient) {
    this.#client = client;
  }

  ask(query: Query): Asked {
    let giveUp = (): void => {};
    const answer = new Promise<Answer>((resolve, reject) => {
      const one: Waiting = { query, resolve, reject, isGivenUp: false };
      giveUp = () => {
        one.isGivenUp = true;
      };
      this.#waiting.push(one);
    });
    if (!this.#isAsking) void this.#askAll();
    return { answer, giveUp };
  }

  async #askAll(): Promise<void> {
    this.#isAsking = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const { query, resolve, reject } = next;
      if (next.isGivenUp) reject(new Error('nobody waits for it any more'));
      else await this.#client.query(query).then(resolve, reject);
    }
    this.#isAsking = false;
  }
}
