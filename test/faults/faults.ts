import net from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Random } from '../fuzz/random.js';
import type { Disk } from './disk.js';
import type { Fault, Journal } from './journal.js';
import type { Server } from './server.js';
import type { Mood, Store } from './store.js';

/** More connections than all processes may have. */
const FLOOD = 600;
const HOUR = 3_600_000;

/** Makes things go wrong, one after the other in each of two lanes, and writes down when. */
export class Faults {
  readonly #server: Server;
  readonly #store: Store;
  readonly #disk: Disk;
  readonly #journal: Journal;
  readonly #random: Random;

  constructor(server: Server, store: Store, disk: Disk, journal: Journal, random: Random) {
    this.#server = server;
    this.#store = store;
    this.#disk = disk;
    this.#journal = journal;
    this.#random = random;
  }

  /** Until `until`, by `performance.now()`; `isEnding`: whether processes end, too. */
  async run(until: number, isEnding: boolean): Promise<void> {
    const around: Fault[] = ['store away', 'store slow', 'store rejects', 'clock set'];
    if (this.#disk.isSmall) around.push('disk full');
    const inside: Fault[] = isEnding
      ? ['no descriptors', 'worker SIGKILL', 'worker SIGTERM', 'SIGHUP']
      : ['no descriptors'];
    await Promise.all([this.#lane(until, around), this.#lane(until, inside)]);
  }

  async #lane(until: number, faults: readonly Fault[]): Promise<void> {
    while (performance.now() < until) {
      const fault = this.#random.pick(faults);
      const end = this.#journal.begin(fault);
      await this.#do(fault);
      end();
      await setTimeout(this.#random.between(500, 4_000));
    }
  }

  async #do(fault: Fault): Promise<void> {
    const while_ = setTimeout(this.#random.between(500, 3_000));
    if (fault.startsWith('store ')) {
      this.#store.mood = fault.slice('store '.length) as Mood;
      await while_;
      this.#store.mood = 'well';
    } else if (fault === 'disk full') {
      this.#disk.fill();
      await while_;
      this.#disk.free();
    } else if (fault === 'clock set') {
      this.#server.setClock(this.#random.between(-24 * HOUR, 24 * 30 * HOUR));
      await while_;
      this.#server.setClock(0);
    } else if (fault === 'no descriptors') await this.#flood(while_);
    else if (fault === 'SIGHUP') {
      this.#server.signal('SIGHUP');
      await setTimeout(8_000);
    } else {
      // Each has a successor before the next one goes.
      const pid = this.#random.pick(this.#server.workers);
      process.kill(pid, fault === 'worker SIGKILL' ? 'SIGKILL' : 'SIGTERM');
      await setTimeout(6_000);
    }
  }

  async #flood(meanwhile: Promise<unknown>): Promise<void> {
    const sockets = Array.from({ length: FLOOD }, () =>
      net.connect(this.#server.port, '127.0.0.1').on('error', () => {}),
    );
    await meanwhile;
    for (const socket of sockets) socket.destroy();
  }
}
