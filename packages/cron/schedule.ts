import { setTimeout as sleep } from 'node:timers/promises';
import { type HttpServer, serverOf } from 'fwkit/http';
import {
  Deferred,
  isLockTaken,
  isUnavailable,
  type LockHandle,
  logSafely,
  messageOf,
  type Peers,
  type Project,
  type Runtime,
  type SharedMemory,
} from 'fwkit/plugin';
import { type CronRoute, Times } from './job.js';
import { execute } from './run-job.js';

const HOUR_MS = 3_600_000;
const YEAR_MS = 366 * 24 * HOUR_MS;
/** The largest tolerated difference between the clocks of two machines. */
const CLOCKS_MS = HOUR_MS;
/** How long a completed run is remembered in addition, after the next scheduled time and CLOCKS_MS. */
const SLACK_MS = 60_000;
/** The longest sleep of a timer, because a timer does not notice clock changes and a suspended machine. */
const MAX_SLEEP_MS = 30_000;
/** The pause between two attempts while another process may be running the job. It doubles each time. */
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 5_000;

export interface Crontab {
  readonly project: Project;
  readonly state: ProcessState;
  readonly peers: Peers;
  isAway: boolean;
}

interface Turn {
  readonly at: number;
  /** The time of the next run. Until then, processes try to complete this one. */
  readonly next: number;
  /** Whether this process has run the job already but could not record it. */
  hasRun: boolean;
}

/** Runs one job of one version in the first process that acquires the lock. The others check until the run is done, in case it crashes. */
export class Schedule {
  /** The completed runs, by their time. */
  readonly #done: SharedMemory;
  readonly #times: Times;
  readonly #stopped = new AbortController();
  readonly #cutOff = new AbortController();
  #following: Promise<void> = Promise.resolve();
  isRunning = false;

  constructor(
    private readonly route: CronRoute,
    private readonly tab: Crontab,
  ) {
    this.#done = tab.peers.memory(`cron.${route.name}`);
    this.#times = new Times(route.job.pattern, route.job.timezone);
  }

  start(): void {
    this.#following = this.#follow(this.tab.state.begin(this.route.label)).catch((thrown) =>
      logSafely(this.tab.project.logger, 'error', `${this.file} is no longer scheduled`, thrown),
    );
  }

  stop(): Promise<void> {
    this.#stopped.abort();
    return this.#following;
  }

  cutOff(reason: Error): void {
    this.#cutOff.abort(reason);
  }

  get file(): string {
    return this.tab.project.display(this.route.file);
  }

  get #isOver(): boolean {
    return this.#stopped.signal.aborted;
  }

  async #follow(from: number): Promise<void> {
    let after = await this.#resume(from);
    while (!this.#isOver) {
      const now = Date.now();
      // The clock was set back. Runs that are done are not repeated, because they are recorded.
      if (now < after) after = now;
      const due = this.#times.after(after);
      if (due === undefined) return;
      if (due > now) {
        await this.#pause(Math.min(due - now, MAX_SLEEP_MS));
        continue;
      }
      // Of the times missed during a suspend or a long run, only the last one is made up for.
      const at = this.#times.last(after, now) ?? due;
      const isSettled = await this.#insist({
        at,
        next: this.#times.after(at) ?? at + YEAR_MS,
        hasRun: false,
      });
      if (isSettled) this.tab.state.settle(this.route.label, at);
      after = at;
    }
  }

  /** Where to begin: before the last run, if no process was there when it was due. The run before it proves that the job is not new. */
  async #resume(from: number): Promise<number> {
    const last = this.#times.last(from - CLOCKS_MS, from);
    const previous = last && this.#times.last(last - YEAR_MS, last - 1);
    try {
      if (!previous || !(await this.#isDone({ at: previous })) || (await this.#isDone({ at: last })))
        return from;
      return last - 1;
    } catch {
      return from;
    }
  }

  /** Try until the run is done or the next one is due. Returns false if the version ends before that. */
  async #insist(turn: Turn): Promise<boolean> {
    for (let tries = 0; ; tries += 1) {
      if (this.#isOver) return false;
      if (Date.now() >= turn.next || (await this.#attempt(turn))) return true;
      const step = Math.min(FIRST_RETRY_MS * 2 ** tries, MAX_RETRY_MS, (turn.next - turn.at) / 5);
      // The random factor spreads the attempts of the processes.
      await this.#pause(step * (0.75 + Math.random() / 2));
    }
  }

  async #attempt(turn: Turn): Promise<boolean> {
    const { project, peers, state } = this.tab;
    try {
      if (turn.hasRun) return await this.#mark(turn);
      if (await this.#isDone(turn)) return true;
      if (!state.mayBegin) return false;
      const work = async (lock: LockHandle): Promise<boolean> => {
        // While this process waited for the lock, another one may have completed the run, or a shutdown may have begun.
        if (await this.#isDone(turn)) return true;
        if (!state.mayBegin || this.#isOver) return false;
        this.isRunning = true;
        const cutOff = this.#cutOff.signal;
        turn.hasRun = await execute(this.route, project, { at: turn.at, lock, cutOff });
        this.isRunning = false;
        return turn.hasRun && this.#mark(turn);
      };
      const isDone = await peers.lock(`cron.${this.route.name}`, work, { wait: 0 });
      // Memory may refuse writes while it can be read.
      this.tab.isAway = false;
      return isDone;
    } catch (thrown) {
      if (!isLockTaken(thrown)) this.#miss(thrown);
      return false;
    }
  }

  async #isDone({ at }: Pick<Turn, 'at'>): Promise<boolean> {
    return (await this.#done.get(String(at))) !== undefined;
  }

  /** Record that the run is done, until the clocks of all machines have reached the next one. Always true. */
  async #mark({ at, next }: Turn): Promise<true> {
    const clocks = this.tab.peers.span === 'machines' ? CLOCKS_MS : 0;
    await this.#done.put(String(at), {}, Math.ceil((next - at + clocks + SLACK_MS) / 1_000));
    return true;
  }

  #miss(thrown: unknown): void {
    if (this.tab.isAway) return;
    this.tab.isAway = true;
    const { logger } = this.tab.project;
    if (isUnavailable(thrown)) logSafely(logger, 'warn', `The jobs in cron/ wait: ${messageOf(thrown)}`);
    else logSafely(logger, 'error', 'The jobs in cron/ wait, because reading their state failed', thrown);
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopped.signal }).catch(() => {});
  }
}

/** How far back a new version makes up for times that were missed during the reload, in milliseconds. */
const HANDOVER_MS = 5_000;

export class ProcessState {
  readonly #closed = new Deferred<void>();
  readonly closed = this.#closed.promise;
  #closedAt: number | undefined;
  #isRetired = false;
  /** By job and pattern: the time up to which all runs are done, in milliseconds since 1970. */
  readonly #settled = new Map<string, number>();

  private constructor(private readonly server: HttpServer) {}

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

  /** Whether runs may start. False if the process is about to end, or if another process has replaced it. */
  get mayBegin(): boolean {
    return !this.#isRetired && !this.server.isEnding && this.#closedAt === undefined;
  }

  /** The rest of `limit`, counted from the start of the shutdown, in milliseconds. */
  left(limit: number): number {
    return Math.max(0, limit - (performance.now() - (this.#closedAt ?? performance.now())));
  }

  /** The time from which a new version is responsible for a job: the time up to which the previous version has handled it. */
  begin(job: string): number {
    const now = Date.now();
    const from = Math.max(this.#settled.get(job) ?? now, now - HANDOVER_MS);
    this.#settled.set(job, from);
    return from;
  }

  settle(job: string, time: number): void {
    this.#settled.set(job, time);
  }
}
