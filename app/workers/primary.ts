import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from '../../kernel/index.js';
import { givenSecret, randomSecret } from '../../peers/index.js';
import { LOG_DEFAULTS, type LogSettings } from '../../plugins/log/index.js';
import type { LoggerMaker } from '../loggers.js';
import { endTogether } from './end-together.js';
import { ListeningSockets } from './listening-sockets.js';
import { Relay } from './relay.js';
import { FIRST_RESTART_DELAY_MS, MAX_EARLY_ENDS, Restarts } from './restarts.js';
import { type Ending, type NeverServed, WorkerProcess } from './worker-process.js';

/** How many times the workers that serve there may be of those that wait for their clients: each takes memory. */
const MAX_RETIRED_TEAMS = 3;

export interface PrimaryOptions {
  /** How many workers serve. */
  readonly count: number;
  /** A function makes it of what the workers know of the config. */
  readonly logger: Logger | LoggerMaker;
}

/** The process that serves nothing itself: it keeps as many workers as are wanted, and replaces them. */
export class Primary {
  readonly #count: number;
  readonly #makeLogger: (settings: LogSettings) => Logger;
  #logger: Logger;
  readonly #relay: Relay;
  readonly #machine = randomUUID();
  readonly #secret = givenSecret() ?? randomSecret();
  readonly #sockets = new ListeningSockets();
  /** Every process that has not ended. */
  readonly #all = new Set<WorkerProcess>();
  /** Those that serve, or are to. */
  #team: WorkerProcess[] = [];
  /** Those that have been replaced and still have connections, the first one first. */
  readonly #retired = new Set<WorkerProcess>();
  /** The workers of the next version, while they boot. */
  #next: WorkerProcess[] | undefined;
  #hasServed = false;
  #isStopping = false;

  constructor({ count, logger }: PrimaryOptions) {
    this.#count = count;
    const mode = process.env.NODE_ENV ?? 'production';
    this.#makeLogger = (settings) => (typeof logger === 'function' ? logger(settings, mode) : logger);
    this.#logger = this.#makeLogger(LOG_DEFAULTS);
    this.#relay = new Relay();
    // Bytes stay bytes.
    cluster.setupPrimary({ serialization: 'advanced' });
    process.once('exit', () => {
      for (const worker of this.#all) worker.kill();
    });
  }

  /** What it logs with: as the workers do, once one of them has read the config. */
  get logger(): Logger {
    return this.#logger;
  }

  /**
   * Resolves with the addresses once all workers listen. The first one boots alone, so that what is wrong with the
   * project is reported once: then this resolves with how it ended.
   */
  async start(): Promise<readonly string[] | NeverServed> {
    const first = this.#fork();
    this.#team = [first];
    const urls = await first.ready;
    if (!urls) return { ending: await first.ended, hasReported: first.hasReported };
    this.#hasServed = true;
    if (this.#isStopping) return urls;
    while (this.#team.length < this.#count) this.#team.push(this.#fork());
    for (const index of this.#team.keys()) void this.#keep(index);
    await Promise.all(this.#team.map(({ ready }) => ready));
    return urls;
  }

  /** Replace the workers that serve by new ones with the code that is on disk now, once all of those listen. */
  async reload(): Promise<void> {
    if (this.#isStopping) return;
    // Asked for again: what was begun may be of code that is gone by now.
    for (const worker of this.#next ?? []) worker.stop('retire');
    const next: WorkerProcess[] = [];
    this.#next = next;
    const serves = await this.#fill(next);
    if (this.#next !== next) return;
    this.#next = undefined;
    if (!serves) {
      for (const worker of next) worker.stop('retire');
      return this.#logger.error('The new version does not boot: the one before goes on serving.');
    }
    const before = this.#team;
    this.#team = next;
    for (const index of next.keys()) void this.#keep(index);
    for (const worker of before) this.#retire(worker);
    this.#logger.info(`Reloaded: ${next.length} new workers serve.`);
  }

  /**
   * End all workers. Resolves with the status to end with: 1 when one of them had to cut something off, or failed; undefined where none
   * has served yet.
   */
  async stop(): Promise<number | undefined> {
    this.#isStopping = true;
    this.#next = undefined;
    const endings = await endTogether(this.#all, this.#sockets);
    if (!this.#hasServed) return undefined;
    return endings.every((ending) => ending === 0) ? 0 : 1;
  }

  /** Boot the workers of the next version, one first. Resolves with whether all of it listens. */
  async #fill(team: WorkerProcess[]): Promise<boolean> {
    const first = this.#fork();
    team.push(first);
    if (!(await first.ready) || this.#next !== team) return false;
    while (team.length < this.#count) team.push(this.#fork());
    await Promise.all(team.map(({ ready }) => ready));
    return team.every((worker) => worker.readyAt !== undefined && this.#all.has(worker));
  }

  #fork(): WorkerProcess {
    const settings = { machine: this.#machine, count: this.#count, secret: this.#secret };
    const worker = new WorkerProcess(settings, this.#relay, this.#logger, (one) => void this.#succeed(one));
    this.#all.add(worker);
    this.#sockets.watch(worker.ready);
    void worker.ready.then(() => {
      if (worker.log) this.#logger = this.#makeLogger(worker.log);
    });
    void worker.ended.then(() => this.#all.delete(worker));
    void worker.leaveConnectionsTo(() =>
      this.#team.find((one) => one.readyAt !== undefined && one !== worker),
    );
    return worker;
  }

  /** Replace the worker at a place of the team when it ends, and those that follow it there. */
  async #keep(index: number): Promise<void> {
    const restarts = new Restarts();
    for (let worker = this.#team[index]; worker; worker = this.#team[index]) {
      const hasCrashed = await Promise.race([
        worker.ended.then(() => false),
        worker.crashed.then(() => true),
      ]);
      const ending = await (hasCrashed ? worker.crashed : worker.ended);
      const isReplaced = () => this.#isStopping || this.#team[index] !== worker;
      if (isReplaced()) return;
      const delay = restarts.delayAfter(worker, hasCrashed);
      if (delay === undefined) return this.#giveUp(ending);
      const when = delay > FIRST_RESTART_DELAY_MS ? ` in ${delay} ms` : '';
      this.#logger.warn(`Worker ${worker.pid} ended with ${ending}: another one takes its place${when}.`);
      if (delay > 0) await setTimeout(delay);
      if (isReplaced()) return;
      this.#team[index] = this.#fork();
    }
  }

  /** Have another one take the place of a worker that was asked to end, once that listens. */
  async #succeed(worker: WorkerProcess): Promise<void> {
    if (this.#isStopping) return;
    const index = this.#team.indexOf(worker);
    // Others replace it, or it does not serve yet.
    if (index === -1) return worker.stop('retire');
    const successor = this.#fork();
    const serves = await successor.ready;
    if (this.#isStopping) return;
    if (this.#team[index] !== worker) return successor.stop('retire');
    if (!serves)
      return this.#logger.error(
        `Worker ${worker.pid} was asked to end, but its successor does not boot: it goes on serving. Ask again to end it nevertheless.`,
      );
    this.#team[index] = successor;
    void this.#keep(index);
    this.#logger.info(`Worker ${worker.pid} was asked to end: ${successor.pid} takes its place.`);
    this.#retire(worker);
  }

  /** Have one that has a successor end when its clients have gone. Those that wait for longest make room for it. */
  #retire(worker: WorkerProcess): void {
    worker.stop('retire');
    this.#retired.delete(worker);
    this.#retired.add(worker);
    void worker.ended.then(() => this.#retired.delete(worker));
    const surplus = this.#retired.size - MAX_RETIRED_TEAMS * this.#count;
    for (const oldest of [...this.#retired].slice(0, Math.max(0, surplus))) oldest.stop('retire');
  }

  async #giveUp(ending: Ending): Promise<never> {
    this.#logger.error(
      `Workers end as soon as they begin, ${MAX_EARLY_ENDS} times in a row, the last one with ${ending}: fix what they print.`,
    );
    await this.stop();
    process.exit(1);
  }
}
