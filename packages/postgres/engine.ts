import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'fwkit';
import { type ConnectedEngine, type EngineSettings, LeasedLocks, Reports, Traffic } from 'fwkit/peers';
import {
  BootError,
  type HealthStatus,
  type Json,
  type Lock,
  messageOf,
  type SharedMemory,
} from 'fwkit/plugin';
import { ClientMistake, type PostgresClient } from './client.js';
import { Connections } from './connections.js';
import { type Ask, leaseStoreOf, memoryOf } from './stores.js';
import { prepareTables, SWEEP_INTERVAL_MS, sweep } from './tables.js';
import { beat, channelOf, type Deliver, encode, Inbox, Outbox } from './wire.js';

export interface PostgresEngineOptions {
  readonly makeClient: () => PostgresClient;
  readonly name: string;
  readonly migrate: boolean;
  readonly machine: string;
  readonly process: string;
  readonly settings: EngineSettings;
  readonly logger: Logger;
}

/** Connects the machines of an app through PostgreSQL, with LISTEN and NOTIFY and with tables for shared data. */
export class PostgresEngine implements ConnectedEngine {
  readonly name = 'postgres';
  #settings: EngineSettings;
  #logger: Logger;
  readonly #traffic = new Traffic();
  readonly #reports: Reports;
  readonly #connections: Connections;
  readonly #ask: Ask = (query) => this.#connections.ask(query);
  readonly #inbox: Inbox;
  readonly #outbox: Outbox;
  readonly #locks: LeasedLocks;
  #timers: NodeJS.Timeout[] = [];

  constructor(private readonly options: PostgresEngineOptions) {
    const { name, machine, process, makeClient, migrate } = options;
    this.#settings = options.settings;
    this.#logger = options.logger;
    const settings = (): EngineSettings => this.#settings;
    const logger = (): Logger => this.#logger;
    const traffic = this.#traffic;
    const channel = channelOf(name);
    this.#reports = new Reports({ broker: 'postgres', traffic, logger });
    this.#inbox = new Inbox({ ask: this.#ask, traffic, settings, machine });
    this.#connections = new Connections({
      makeClient,
      settings,
      prepare: (queryClient) => prepareTables(queryClient, migrate),
      channel: channel.quoted,
      receive: (notification) => this.#inbox.receive(notification),
      onAway: (reason) => this.#reports.away(reason),
      onBack: () => this.#reports.back(),
    });
    const connections = this.#connections;
    this.#outbox = new Outbox({ connections, traffic, settings, channel: channel.name, sender: process });
    this.#locks = new LeasedLocks(leaseStoreOf(name, this.#ask), () => this.#settings.lease);
  }

  async open(): Promise<void> {
    try {
      await this.#connections.open();
    } catch (cause) {
      await this.#connections.close();
      if (cause instanceof BootError) throw cause;
      const message =
        cause instanceof ClientMistake
          ? cause.message
          : `postgres cannot be reached: ${messageOf(cause)}. Start PostgreSQL, or correct the address in postgres({ client }).`;
      throw new BootError({ message, code: cause instanceof ClientMistake ? 'FWK820' : 'FWK821' });
    }
    this.#begin();
    // Delete expired rows of apps that have ended.
    void sweep(this.#ask);
  }

  use(settings: EngineSettings, logger: Logger): void {
    this.#settings = settings;
    this.#logger = logger;
    this.#begin();
  }

  send(topic: string, head: Json, body: string | Uint8Array): void {
    const { machine: m, process: p } = this.options;
    this.#outbox.push(encode(topic, head, body, { m, p, n: this.#traffic.next() }));
  }

  listen(deliver: Deliver): void {
    this.#inbox.deliver = deliver;
  }

  memory(name: string): SharedMemory {
    return memoryOf(this.options.name, name, this.#ask);
  }

  readonly lock: Lock = (name, work, options) => this.#locks.lock(name, work, options);

  status(): HealthStatus {
    return this.#reports.status();
  }

  async close(): Promise<void> {
    this.#stop();
    const { timeout } = this.#settings;
    await Promise.race([this.#outbox.sent(), pause(timeout, undefined, { ref: false })]);
    await this.#connections.close();
  }

  #begin(): void {
    this.#stop();
    const { heartbeat, timeout } = this.#settings;
    const every = (ms: number, run: () => unknown): number => this.#timers.push(setInterval(run, ms).unref());
    every(heartbeat, () => this.#beat());
    every(timeout, () => this.#connections.watch());
    every(SWEEP_INTERVAL_MS, () => sweep(this.#ask));
  }

  #stop(): void {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
  }

  #beat(): void {
    const { machine: m, process: p } = this.options;
    if (this.#connections.isThere) this.#outbox.push(beat({ m, p, n: this.#traffic.number }));
    this.#reports.losses(this.#settings);
  }
}
