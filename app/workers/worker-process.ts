import cluster, { type Worker } from 'node:cluster';
import type { Logger } from '../../kernel/index.js';
import type { LogSettings } from '../../plugins/log/index.js';
import { UnclaimedConnections } from './connections.js';
import type { Handovers } from './handovers.js';
import {
  isToPrimary,
  type StopMode,
  type ToPrimary,
  WORKER_SETTINGS,
  type WorkerSettings,
} from './messages.js';
import { type Relay, sendToWorker } from './peers.js';

export type Ending = number | string;

export interface NeverServed {
  readonly ending: Ending;
  readonly hasReported: boolean;
}

export class WorkerProcess {
  /** Resolves with its addresses once it listens; undefined if it ends before. */
  readonly ready: Promise<readonly string[] | undefined>;
  readonly ended: Promise<Ending>;
  readonly crashed: Promise<Ending>;
  readonly announced: Promise<unknown>;
  readonly refusing: Promise<unknown>;
  readonly immovable: Promise<unknown>;
  /** When it began to listen, in milliseconds since the start of the primary. */
  readyAt: number | undefined;
  /** Whether it knows what was published since it began, so that members of rooms can move to it. */
  isSuccessor: boolean;
  drainDelay = 0;
  log: LogSettings | undefined;
  hasReported = false;
  readonly worker: Worker;
  readonly connections: UnclaimedConnections;
  #hasEnded = false;

  constructor(
    settings: WorkerSettings,
    relay: Relay,
    handovers: Handovers,
    logger: Logger,
    resign: (worker: WorkerProcess) => void,
  ) {
    this.isSuccessor = settings.isSuccessor;
    this.worker = cluster.fork({ [WORKER_SETTINGS]: JSON.stringify(settings) });
    // One for each kind of message.
    this.worker.setMaxListeners(20);
    relay.connect(this.worker);
    handovers.connect(this.worker);
    this.connections = new UnclaimedConnections(this.worker.process);
    this.ended = new Promise((resolve) => {
      const end = (ending: Ending) => {
        this.#hasEnded = true;
        resolve(ending);
      };
      this.worker.once('exit', (status: number, signal: string | null) => end(signal ?? status));
      // The worker could not be started: the system has no resources for it.
      this.worker.on('error', (cause) => void (this.worker.process.pid ?? end(cause.message)));
    });
    this.ready = new Promise((resolve) => {
      void this.ended.then(() => resolve(undefined));
      this.#onMessage('ready', ({ urls, drainDelay, log }) => {
        this.drainDelay = drainDelay;
        this.log = log;
        this.readyAt = performance.now();
        resolve(urls);
      });
    });
    const signaled = (kind: 'announced' | 'refusing' | 'immovable' | 'crashing') =>
      new Promise((resolve) => this.#onMessage(kind, resolve));
    this.announced = Promise.race([signaled('announced'), this.ended]);
    this.refusing = Promise.race([signaled('refusing'), this.ended]);
    this.immovable = signaled('immovable');
    this.crashed = signaled('crashing').then(() => 'an error');
    this.#onMessage('reported', () => {
      this.hasReported = true;
    });
    this.#onMessage('resigning', () => resign(this));
    this.#onMessage('dropping', () =>
      logger.warn(
        `Worker ${this.pid} has no file descriptor left: connections for it are closed. Raise the limit (ulimit -n), or set http.maxConnections below it.`,
      ),
    );
  }

  get pid(): number {
    return this.worker.process.pid ?? 0;
  }

  /** Ask the worker to end: `retire` if others keep serving, else `announce`, `stop`, `finish`. Before it listens, it is killed. */
  stop(how: StopMode): void {
    if (this.#hasEnded) return;
    if (this.readyAt === undefined) this.worker.process.kill('SIGKILL');
    else sendToWorker(this.worker, { fwkit: how });
  }

  /** Once this worker has disconnected, pass the connections that it has not accepted to the worker that `successor` returns. */
  async passConnectionsTo(successor: () => WorkerProcess | undefined): Promise<void> {
    await this.connections.left;
    this.connections.passOn(successor()?.connections);
  }

  #onMessage<Kind extends ToPrimary['fwkit']>(
    kind: Kind,
    take: (message: Extract<ToPrimary, { readonly fwkit: Kind }>) => void,
  ): void {
    const isOfKind = (message: unknown): message is Extract<ToPrimary, { readonly fwkit: Kind }> =>
      isToPrimary(message) && message.fwkit === kind;
    this.worker.on('message', (message) => {
      if (isOfKind(message)) take(message);
    });
  }

  kill(): void {
    this.worker.process.kill('SIGKILL');
  }
}
