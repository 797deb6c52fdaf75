import type { Logger } from 'fwkit';
import {
  type ConnectedEngine,
  type EngineSettings,
  LeasedLocks,
  type PeersEngine,
  Reports,
  Traffic,
} from 'fwkit/peers';
import type { HealthStatus, SharedMemory } from 'fwkit/plugin';
import { Broker } from './broker.js';
import { unreachable } from './connection.js';
import { addStreamSource } from './log-store.js';
import { GET, RedisStream, redisLeases, redisMemory, ScriptRunner } from './stores.js';
import { Messages, type Names, namesOf } from './wire.js';

export interface EngineOptions {
  readonly makeClient: () => unknown;
  readonly name: string;
  readonly process: string;
  readonly machine: string;
  readonly settings: EngineSettings;
  readonly logger: Logger;
}

export class RedisEngine implements ConnectedEngine {
  readonly name = 'redis';
  readonly #process: string;
  readonly #names: Names;
  readonly #broker: Broker;
  readonly #scripts: ScriptRunner;
  readonly #traffic = new Traffic();
  readonly #messages: Messages;
  readonly #reports: Reports;
  readonly #timers: NodeJS.Timeout[] = [];
  #endSource = (): void => {};
  #settings: EngineSettings;
  #logger: Logger;
  readonly lock: PeersEngine['lock'];

  constructor({ makeClient, name, process, machine, settings, logger }: EngineOptions) {
    this.#process = process;
    this.#settings = settings;
    this.#logger = logger;
    this.#names = namesOf(name);
    this.#broker = new Broker({
      makeClient,
      channel: this.#names.channel,
      settings: () => this.#settings,
      receive: (message) => this.#messages.receive(message),
      onAway: (reason) => this.#reports.away(reason),
      onBack: () => this.#comeBack(),
      onUnsent: (count) => {
        this.#traffic.unsent += count;
      },
    });
    const [broker, traffic] = [this.#broker, this.#traffic];
    const maxMessage = () => this.#settings.maxMessage;
    this.#messages = new Messages({ broker, traffic, process, machine, maxMessage });
    this.#reports = new Reports({ broker: 'redis', traffic, logger: () => this.#logger });
    this.#scripts = new ScriptRunner(broker);
    const leases = redisLeases(this.#names, this.#scripts);
    this.lock = new LeasedLocks(leases, () => this.#settings.lease).lock;
  }

  async open(): Promise<void> {
    try {
      await this.#broker.open();
      // Missing permissions fail the startup, and not the first request.
      await this.#scripts.run(GET, [this.#names.memory('redis', 'boot')]);
      await this.#broker.ask(['PUBLISH', this.#names.channel, '']);
    } catch (cause) {
      await this.#broker.close();
      throw unreachable(cause);
    }
    this.#endSource = addStreamSource(this.#process, this);
    this.#repeat(
      () => this.#settings.timeout,
      () => this.#broker.look(),
    );
    this.#repeat(
      () => this.#settings.heartbeat,
      () => {
        this.#messages.beat();
        this.#reports.losses(this.#settings);
      },
    );
  }

  use(settings: EngineSettings, logger: Logger): void {
    this.#settings = settings;
    this.#logger = logger;
  }

  listen(deliver: Parameters<PeersEngine['listen']>[0]): void {
    this.#messages.listen(deliver);
  }

  readonly send: PeersEngine['send'] = (topic, head, body) => this.#messages.send(topic, head, body);

  memory(name: string): SharedMemory {
    return redisMemory(name, this.#names, this.#scripts);
  }

  stream(name: string): RedisStream {
    return new RedisStream(this.#names.log(name), this.#scripts);
  }

  status(): HealthStatus {
    const { ok, detail } = this.#reports.status();
    return { ok, detail: `${detail}; ${this.#broker.waitingBytes} bytes queued` };
  }

  async close(): Promise<void> {
    this.#endSource();
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#broker.close();
  }

  #comeBack(): void {
    this.#reports.back();
    this.#messages.beat();
  }

  /** Call `act` periodically. `interval` is read before each wait, since the settings may change. */
  #repeat(interval: () => number, act: () => void): void {
    const at = this.#timers.length;
    const next = (): void => {
      this.#timers[at] = setTimeout(() => {
        act();
        next();
      }, interval()).unref();
    };
    next();
  }
}
