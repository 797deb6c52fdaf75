import { setTimeout } from 'node:timers/promises';
import { type Random, randomOf } from '../fuzz/random.js';
import { CALLS } from './calls.js';
import { Client, Lost, Refused } from './client.js';
import type { Journal } from './journal.js';
import { cut, events, socket } from './live.js';
import { Visitor } from './sessions.js';

/** What became of the calls of one kind. */
export interface Tally {
  answered: number;
  /** Unanswered, by the fault that was the reason. */
  readonly excused: Record<string, number>;
}

/** People who call, each again and again. */
export class Load {
  readonly tallies: Record<string, Tally> = {};
  readonly #client: Client;
  readonly #port: number;
  readonly #journal: Journal;
  readonly #found: (what: string) => void;
  #isOver = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(port: number, journal: Journal, found: (what: string) => void) {
    this.#client = new Client(port);
    this.#port = port;
    this.#journal = journal;
    this.#found = found;
  }

  begin(people: number, seed: number): void {
    this.#isOver = false;
    this.#running = Promise.all(Array.from({ length: people }, (_, index) => this.#person(index, seed)));
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  close(): void {
    this.#client.close();
  }

  async #person(index: number, seed: number): Promise<void> {
    const random = randomOf(seed, index);
    const visitor = new Visitor(`visitor${seed}n${index}`);
    const calls: Record<string, () => Promise<void>> = {
      visit: () => visitor.visit(this.#client, random, () => this.#journal.has('clock set')),
      events: () => events(this.#port, random),
      socket: () => socket(this.#port, random),
      cut: () => cut(this.#port, random),
    };
    for (const [name, call] of Object.entries(CALLS)) calls[name] = () => call(this.#client, random);
    const all = Object.entries(calls);
    while (!this.#isOver) {
      const [name, call] = random.pick(all);
      await this.#try(name, call);
      await this.#pause(random);
    }
  }

  /** There is more than one process on this machine: what counts is what goes wrong, not how fast. */
  #pause(random: Random): Promise<unknown> {
    return setTimeout(random.between(0, 60));
  }

  async #try(name: string, call: () => Promise<void>): Promise<void> {
    this.tallies[name] ??= { answered: 0, excused: {} };
    const tally = this.tallies[name];
    const from = performance.now();
    try {
      await call();
      tally.answered += 1;
    } catch (failure) {
      const isFault = failure instanceof Lost || failure instanceof Refused || name === 'limited';
      const fault = isFault ? this.#journal.excuse(name, failure, from) : undefined;
      if (fault === undefined)
        this.#found(`${name}: ${failure instanceof Error ? failure.message : failure}`);
      else tally.excused[fault] = (tally.excused[fault] ?? 0) + 1;
    }
  }
}
