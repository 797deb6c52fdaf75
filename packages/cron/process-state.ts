import { type HttpServer, serverOf } from 'fwkit/http';
import { Deferred, type Runtime } from 'fwkit/plugin';

/** For how long after a save the times are made up for that came while versions changed, in milliseconds. */
const HANDOVER_MS = 5_000;

/** The jobs of one process, over all versions. */
export class ProcessState {
  readonly #server: HttpServer;
  readonly #closed = new Deferred<void>();
  #closedAt: number | undefined;
  #isRetired = false;
  /** By job and pattern: up to which time nothing is left to do, in milliseconds since 1970. */
  readonly #settled = new Map<string, number>();

  private constructor(server: HttpServer) {
    this.#server = server;
  }

  static of(runtime: Runtime): Promise<ProcessState> {
    return runtime.getOrCreate('cron', async () => {
      const server = await serverOf(runtime);
      const state = new ProcessState(server);
      server.onRetire(() => {
        state.#isRetired = true;
      });
      runtime.onClose(() => {
        state.#closedAt = performance.now();
        state.#closed.resolve();
      });
      return state;
    });
  }

  /** Whether runs may begin: not where the process is about to end, or others serve in its place. */
  get mayBegin(): boolean {
    return !this.#isRetired && !this.#server.isEnding && this.#closedAt === undefined;
  }

  /** Resolves when the process begins to end. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** The milliseconds that are left of `limit` since then. */
  left(limit: number): number {
    return Math.max(0, limit - (performance.now() - (this.#closedAt ?? performance.now())));
  }

  /** From which time on a version has to see to a job: from where the one before has left off. */
  begin(job: string): number {
    const now = Date.now();
    const from = Math.max(this.#settled.get(job) ?? now, now - HANDOVER_MS);
    this.#settled.set(job, from);
    return from;
  }

  /** Nothing is left to do of a job up to `time`. */
  settle(job: string, time: number): void {
    this.#settled.set(job, time);
  }
}
