import cluster, { type Worker } from 'node:cluster';
import { ENLISTMENT, type Enlistment, isToPrimary } from './messages.js';
import { type Relay, tell } from './relay.js';

/** How a process ended: its status, or the signal. */
export type Ending = number | string;

/** One worker, as the primary sees it. */
export class WorkerProcess {
  /** Resolves with its addresses once it listens; undefined when it ends before. */
  readonly ready: Promise<readonly string[] | undefined>;
  readonly ended: Promise<Ending>;
  /** When it began to listen, in milliseconds since the start of the primary. */
  readyAt: number | undefined;
  readonly #worker: Worker;
  #hasEnded = false;

  constructor(enlistment: Enlistment, relay: Relay) {
    this.#worker = cluster.fork({ [ENLISTMENT]: JSON.stringify(enlistment) });
    relay.connect(this.#worker);
    this.ended = new Promise((resolve) => {
      const end = (ending: Ending) => {
        this.#hasEnded = true;
        resolve(ending);
      };
      this.#worker.once('exit', (status: number, signal: string | null) => end(signal ?? status));
      // It was not to be started: the system has no room for it.
      this.#worker.on('error', (cause) => void (this.#worker.process.pid ?? end(cause.message)));
    });
    this.ready = new Promise((resolve) => {
      void this.ended.then(() => resolve(undefined));
      this.#worker.on('message', (message) => {
        if (!isToPrimary(message) || message.fwkit !== 'ready') return;
        this.readyAt = performance.now();
        resolve(message.urls);
      });
    });
  }

  get pid(): number {
    return this.#worker.process.pid ?? 0;
  }

  /** Have it end: `retire` where others serve on, else `stop`. One that does not listen yet has nothing to finish. */
  dismiss(how: 'retire' | 'stop'): void {
    if (this.#hasEnded) return;
    if (this.readyAt === undefined) this.#worker.process.kill('SIGKILL');
    else tell(this.#worker, { fwkit: how });
  }

  /** End it at once. */
  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }
}
