import { randomUUID } from 'node:crypto';
import { createClient } from '@redis/client';
import { Redis } from 'ioredis';
import type { EngineSettings } from '../../app/entries/peers.js';
import type { Logger } from '../../kernel/index.js';
import { RedisEngine } from '../../packages/redis/engine.js';
import type { Json } from '../../peers/index.js';

/** Both supported clients, by name. */
export const clients = {
  '@redis/client': (url: string) => () => createClient({ url }),
  ioredis: (url: string) => () => new Redis(url),
} as const;
export type ClientName = keyof typeof clients;

const SETTINGS: EngineSettings = {
  timeout: 1_000,
  lease: 10_000,
  giveUp: 10_000,
  bootLimit: 5_000,
  heartbeat: 5_000,
  backlog: 16_777_216,
  maxMessage: 8_388_608,
};

export interface Received {
  readonly topic: string;
  readonly head: Json;
  readonly body: string | Uint8Array;
}

/** An engine as an app has it: a process on its own machine. */
export class Machine {
  readonly engine: RedisEngine;
  /** Log lines: `warn redis is unavailable …`. */
  readonly lines: string[] = [];
  readonly received: Received[] = [];
  readonly id = randomUUID();
  #look = (): void => {};

  constructor(makeClient: () => unknown, settings: Partial<EngineSettings> = {}, name = 'shop') {
    const line =
      (level: string) =>
      (...words: readonly unknown[]): void => {
        this.lines.push(`${level} ${words.join(' ')}`);
        this.#look();
      };
    const logger: Logger = {
      level: 'trace',
      trace: line('trace'),
      debug: line('debug'),
      info: line('info'),
      warn: line('warn'),
      error: line('error'),
      fatal: line('fatal'),
      child: () => logger,
    };
    const of = { name, process: `${this.id}.1`, machine: this.id };
    this.engine = new RedisEngine({ makeClient, ...of, settings: { ...SETTINGS, ...settings }, logger });
    this.engine.listen((topic, head, body) => {
      this.received.push({ topic, head, body });
      this.#look();
    });
  }

  async open(): Promise<this> {
    await this.engine.open();
    return this;
  }

  /** Resolves when `holds`: looked at when something was received or logged, and now and then. */
  async until(holds: (machine: this) => boolean, what = String(holds)): Promise<void> {
    const limit = performance.now() + 10_000;
    while (!holds(this)) {
      if (performance.now() > limit)
        throw new Error(`not within 10 s: ${what}. ${this.engine.status().detail}\n${this.lines.join('\n')}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 50);
        this.#look = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** A number from the engine's status: `figure('received')`. */
  figure(name: string): number {
    return Number(new RegExp(`(\\d+) ${name}`).exec(this.engine.status().detail ?? '')?.[1]);
  }

  /** Resolves when this machine has received one message of the other. */
  async hears(other: Machine): Promise<void> {
    const mark = randomUUID();
    const isMark = ({ topic }: Received) => topic === mark;
    await this.until(() => {
      if (this.received.some(isMark)) return true;
      other.engine.send(mark, null, '');
      return false;
    }, 'hear another machine');
  }
}

export const opened = (
  client: ClientName,
  url: string,
  settings: Partial<EngineSettings> = {},
): Promise<Machine> => new Machine(clients[client](url), settings).open();

/** The error of `run`, and the milliseconds until it. */
export async function failure(run: () => unknown): Promise<{ readonly thrown: Error; readonly ms: number }> {
  const begun = performance.now();
  try {
    await run();
  } catch (thrown) {
    return {
      thrown: thrown instanceof Error ? thrown : new Error(String(thrown)),
      ms: performance.now() - begun,
    };
  }
  throw new Error('nothing was thrown');
}
