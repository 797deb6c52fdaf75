import cluster, { type Worker } from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { BootError, type Logger } from '../../kernel/index.js';
import { givenSecret, randomSecret } from '../../peers/index.js';
import { LOG_DEFAULTS, type LogSettings } from '../../plugins/log/index.js';
import type { LoggerMaker } from '../loggers.js';
import { ListeningSockets } from './connections.js';
import { Handovers } from './handovers.js';
import { Relay, sendToWorker } from './peers.js';
import { type Ending, type NeverServed, WorkerProcess } from './worker-process.js';

/** Milliseconds that a worker must serve for, so that its end does not count as immediate. */
const EARLY_END_MS = 5_000;
/** How often in a row a worker may end immediately, or fail to boot. */
const MAX_EARLY_ENDS = 5;
/** Milliseconds until the first of them is replaced; each later replacement waits twice as long. */
const FIRST_RESTART_DELAY_MS = 100;
/** The longest wait, so that the app serves again soon after an external problem is fixed. */
const MAX_RESTART_DELAY_MS = 10_000;

export class Restarts {
  /** Number of workers in a row that ended immediately without an uncaught error. */
  #failures = 0;
  /** Number of workers in a row that crashed soon after they began to serve. */
  #crashes = 0;

  /**
   * Milliseconds until a worker that ended, or is about to, is replaced; undefined if it is not. The first worker that served and then
   * crashed is replaced at once, since a request may have crashed it. Repeated crashes are delayed: starts would keep a core busy.
   */
  delayAfter({ readyAt }: Pick<WorkerProcess, 'readyAt'>, hasCrashed: boolean): number | undefined {
    const isYoung = readyAt === undefined || performance.now() - readyAt < EARLY_END_MS;
    this.#failures = isYoung && !hasCrashed ? this.#failures + 1 : 0;
    this.#crashes = isYoung && hasCrashed ? this.#crashes + 1 : 0;
    if (this.#failures === MAX_EARLY_ENDS) return undefined;
    const before = hasCrashed ? this.#crashes - 1 : this.#failures;
    return before > 0 ? Math.min(MAX_RESTART_DELAY_MS, FIRST_RESTART_DELAY_MS * 2 ** (before - 1)) : 0;
  }
}

/** The process that serves nothing itself: it keeps the configured number of workers running, and replaces them. */
export class Primary {
  readonly #makeLogger: (settings: LogSettings) => Logger;
  /** Configured like the workers' loggers, once a worker has read the config. */
  logger: Logger;
  readonly #relay: Relay;
  readonly #machine = randomUUID();
  readonly #secret = givenSecret() ?? randomSecret();
  readonly #sockets = new ListeningSockets();
  /** Replaced workers that still have connections. */
  readonly #retiring = new Set<WorkerProcess>();
  readonly #handovers = new Handovers((retiring) => this.#heirsOf(retiring));
  readonly #all = new Set<WorkerProcess>();
  #team: WorkerProcess[] = [];
  #next: WorkerProcess[] | undefined;
  #hasServed = false;
  #isStopping = false;

  constructor(
    private readonly count: number,
    logger: Logger | LoggerMaker,
  ) {
    const mode = process.env.NODE_ENV ?? 'production';
    this.#makeLogger = (settings) => (typeof logger === 'function' ? logger(settings, mode) : logger);
    this.logger = this.#makeLogger(LOG_DEFAULTS);
    this.#relay = new Relay(this.#machine);
    // Buffers stay bytes.
    cluster.setupPrimary({ serialization: 'advanced' });
    process.once('exit', () => {
      for (const worker of this.#all) worker.kill();
    });
  }

  /** Resolves with the addresses once all workers listen, or with how the first one ended, which boots alone to report problems once. */
  async start(): Promise<readonly string[] | NeverServed> {
    const first = this.#fork();
    this.#team = [first];
    const urls = await first.ready;
    if (!urls) return { ending: await first.ended, hasReported: first.hasReported };
    this.#hasServed = true;
    if (this.#isStopping) return urls;
    while (this.#team.length < this.count) this.#team.push(this.#fork());
    for (const index of this.#team.keys()) void this.#keep(index);
    await Promise.all(this.#team.map(({ ready }) => ready));
    return urls;
  }

  /** Replace the serving workers by new ones that run the code on disk, once all new workers listen. */
  async reload(): Promise<void> {
    if (this.#isStopping) return;
    // Requested again: a running replacement may use outdated code.
    for (const worker of this.#next ?? []) worker.stop('retire');
    const next: WorkerProcess[] = [];
    this.#next = next;
    const serves = await this.#fill(next);
    if (this.#next !== next) return;
    this.#next = undefined;
    if (!serves) {
      for (const worker of next) worker.stop('retire');
      return this.logger.error('The new version does not start, so the previous version keeps serving.');
    }
    const before = this.#team;
    this.#team = next;
    for (const index of next.keys()) void this.#keep(index);
    this.logger.info(`Reloaded: ${next.length} new workers are serving.`);
    await this.#retire(before);
  }

  /** End all workers. Resolves with the exit code, 1 if one failed or aborted requests; undefined if no worker has served yet. */
  async stop(): Promise<number | undefined> {
    this.#isStopping = true;
    this.#next = undefined;
    const endings = await endTogether(this.#all, this.#sockets);
    if (!this.#hasServed) return undefined;
    return endings.every((ending) => ending === 0) ? 0 : 1;
  }

  /** Boot the workers of the next version, one first. Resolves with whether all of them listen. */
  async #fill(team: WorkerProcess[]): Promise<boolean> {
    const first = this.#fork(true);
    team.push(first);
    if (!(await first.ready) || this.#next !== team) return false;
    while (team.length < this.count) team.push(this.#fork(true));
    await Promise.all(team.map(({ ready }) => ready));
    return team.every((worker) => worker.readyAt !== undefined && this.#all.has(worker));
  }

  #fork(isSuccessor = this.#retiring.size > 0): WorkerProcess {
    const settings = { machine: this.#machine, count: this.count, secret: this.#secret, isSuccessor };
    const worker = new WorkerProcess(
      settings,
      this.#relay,
      this.#handovers,
      this.logger,
      (one) => void this.#succeed(one),
    );
    this.#all.add(worker);
    this.#sockets.watch(worker.ready);
    void worker.ready.then(() => {
      if (worker.log) this.logger = this.#makeLogger(worker.log);
    });
    void worker.ended.then(() => this.#all.delete(worker));
    void worker.passConnectionsTo(() =>
      this.#team.find((one) => one.readyAt !== undefined && one !== worker),
    );
    return worker;
  }

  /** Replace the worker at a place of the team when it ends, and each of its successors. */
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
      this.logger.warn(`Worker ${worker.pid} ended with ${ending}: it is replaced${when}.`);
      if (delay > 0) await setTimeout(delay);
      if (isReplaced()) return;
      this.#team[index] = this.#fork();
    }
  }

  async #succeed(worker: WorkerProcess): Promise<void> {
    if (this.#isStopping) return;
    const index = this.#team.indexOf(worker);
    // Others replace it, or it does not serve yet.
    if (index === -1) return worker.stop('retire');
    const successor = this.#fork(true);
    const serves = await successor.ready;
    if (this.#isStopping) return;
    if (this.#team[index] !== worker) return successor.stop('retire');
    if (!serves)
      return this.logger.error(
        `Worker ${worker.pid} received a signal to end, but its replacement does not start, so the worker keeps serving. Send the signal again to end it anyway.`,
      );
    this.#team[index] = successor;
    void this.#keep(index);
    this.logger.info(`Worker ${worker.pid} was asked to end: ${successor.pid} replaces it.`);
    await this.#retire([worker]);
  }

  /** Retire replaced workers: each hands its connections over to the serving workers, and ends. Log the result. */
  async #retire(workers: readonly WorkerProcess[]): Promise<void> {
    const begunAt = performance.now();
    for (const worker of workers) {
      this.#retiring.add(worker);
      worker.stop('retire');
      void worker.ended.then(() => this.#endArrivals(worker));
    }
    void Promise.race(workers.map(({ immovable }) => immovable)).then(() =>
      this.logger.warn(
        'Connections close at this reload instead of being handed over: a trial connection did not arrive.',
      ),
    );
    await Promise.all(workers.map(({ ended }) => ended));
    const text = this.#handovers.takeReport(begunAt);
    if (text) this.logger.info(text);
  }

  /** A retiring worker has ended. After the last one, no more connections arrive at the workers that serve. */
  #endArrivals(retired: WorkerProcess): void {
    this.#retiring.delete(retired);
    if (this.#retiring.size > 0) return;
    for (const one of this.#team) {
      if (one.isSuccessor) sendToWorker(one.worker, { fwkit: 'arrivals-ended' });
      one.isSuccessor = false;
    }
  }

  /** The workers that take the connections of a retiring one. If all successors have died, any worker does. */
  #heirsOf(retiring: Worker): readonly Worker[] {
    const heirs = this.#team.filter(
      ({ readyAt, worker }) => readyAt !== undefined && worker !== retiring && worker.isConnected(),
    );
    const successors = heirs.filter(({ isSuccessor }) => isSuccessor);
    return (successors.length > 0 ? successors : heirs).map(({ worker }) => worker);
  }

  async #giveUp(ending: Ending): Promise<never> {
    this.logger.error(
      `Workers exit immediately, ${MAX_EARLY_ENDS} times in a row, the last one with ${ending}: fix the errors that they print.`,
    );
    await this.stop();
    process.exit(1);
  }
}

/** Milliseconds for which ending workers wait for each other. A worker that is computing reads no messages. */
const COORDINATION_TIMEOUT_MS = 1_000;

/**
 * End all workers. They report not ready, and keep answering for `http.drainDelay`; then the port is closed, and each worker accepts
 * the connections that were sent to it. Only then are clients disconnected, because they would reconnect in vain. Resolves with the
 * endings of workers that have served.
 */
async function endTogether(
  workers: Iterable<WorkerProcess>,
  sockets: ListeningSockets,
): Promise<readonly Ending[]> {
  const all = [...workers];
  const serving = all.filter(({ readyAt }) => readyAt !== undefined);
  for (const worker of all) worker.stop('announce');
  const drainDelay = Math.max(0, ...serving.map((worker) => worker.drainDelay));
  if (drainDelay > 0) {
    await waitForAnswers(serving.map(({ announced }) => announced));
    await setTimeout(drainDelay);
  }
  const urls = await Promise.all(serving.map(({ ready }) => ready));
  await sockets.close(new Set(urls.flatMap((some) => some ?? []).map(portOf)));
  for (const worker of serving) worker.stop('stop');
  await waitForAnswers(serving.map(({ refusing }) => refusing));
  for (const worker of serving) worker.stop('finish');
  return Promise.all(serving.map(({ ended }) => ended));
}

async function waitForAnswers(answers: readonly Promise<unknown>[]): Promise<void> {
  await Promise.race([Promise.all(answers), setTimeout(COORDINATION_TIMEOUT_MS)]);
}

/** A URL omits the default port. */
const portOf = (url: string): number => Number(new URL(url).port || 80);

/** The number of workers; for `auto`, the environment variable `WEB_CONCURRENCY` takes precedence over the number of cores. */
export function workerCount(workers: number | 'auto'): number {
  const given = process.env.WEB_CONCURRENCY;
  if (workers !== 'auto' || given === undefined || given === '')
    return whole('workers', workers === 'auto' ? availableParallelism() : workers, '"auto" or ');
  return whole('WEB_CONCURRENCY', /^\d+$/.test(given) ? Number(given) : given, '');
}

function whole(name: string, given: unknown, or: string): number {
  if (typeof given === 'number' && Number.isInteger(given) && given >= 1) return given;
  throw new BootError({
    message: `${name} is ${or}a whole number of at least 1, not ${JSON.stringify(given)}. Set it to one.`,
    code: 'FWK204',
  });
}
