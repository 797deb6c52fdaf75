import { setTimeout as sleep } from 'node:timers/promises';
import { type HttpServer, serverOf } from 'fwkit/http';
import {
  Deferred,
  type Held,
  isLockTaken,
  isUnavailable,
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
/** By how much the clocks of machines may differ at most; those of one machine do not. */
const CLOCKS_MS = HOUR_MS;
/** How long it is remembered that a run is done, beyond that and the time of the next. */
const SLACK_MS = 60_000;
/** The longest that a timer sleeps: clocks are set, and machines sleep, without a timer noticing. */
const MAX_SLEEP_MS = 30_000;
/** Between two tries for a run that another process may be at work on: twice as long each time. */
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 5_000;

/** What the jobs of one version have in common. */
export interface Crontab {
  readonly project: Project;
  readonly state: ProcessState;
  readonly peers: Peers;
  /** Whether it is known that memory and locks are away. */
  isAway: boolean;
}

/** A time at which a job is to run. */
interface Turn {
  readonly at: number;
  /** When the one after it is: until then, processes try to have this one. */
  readonly next: number;
  /** Whether this process has run it already, and could not say so. */
  hasRun: boolean;
}

/**
 * One job of one version. All processes count the same times; whichever has the lock first at one of them, and finds that it is not
 * done, runs the job. The others look again until it is done, so that one that dies is replaced.
 */
export class Schedule {
  readonly #route: CronRoute;
  readonly #tab: Crontab;
  /** Which runs are done, by their time. */
  readonly #done: SharedMemory;
  readonly #times: Times;
  readonly #stopped = new AbortController();
  readonly #cutOff = new AbortController();
  #following: Promise<void> = Promise.resolve();
  isRunning = false;

  constructor(route: CronRoute, tab: Crontab) {
    this.#route = route;
    this.#tab = tab;
    this.#done = tab.peers.memory(`cron.${route.name}`);
    this.#times = new Times(route.job.pattern, route.job.timezone);
  }

  start(): void {
    this.#following = this.#follow(this.#tab.state.begin(this.#route.label)).catch((thrown) =>
      logSafely(this.#tab.project.logger, 'error', `${this.file} runs no more`, thrown),
    );
  }

  /** Begin nothing more. Resolves when what runs has ended. */
  stop(): Promise<void> {
    this.#stopped.abort();
    return this.#following;
  }

  /** Have the run that is at work know that the process ends. */
  cutOff(reason: Error): void {
    this.#cutOff.abort(reason);
  }

  get file(): string {
    return this.#tab.project.display(this.#route.file);
  }

  get #isOver(): boolean {
    return this.#stopped.signal.aborted;
  }

  async #follow(from: number): Promise<void> {
    let after = from;
    while (!this.#isOver) {
      const now = Date.now();
      // The clock was wrong, and is set: nothing would run until it is that time again.
      if (now < after - CLOCKS_MS) after = now;
      const due = this.#times.after(after);
      if (due === undefined) return;
      if (due > now) {
        await this.#pause(Math.min(due - now, MAX_SLEEP_MS));
        continue;
      }
      // Of what was missed, by a machine that slept or a run that took long, the last is made up for.
      const at = this.#times.last(after, now) ?? due;
      const isSettled = await this.#insist({
        at,
        next: this.#times.after(at) ?? at + YEAR_MS,
        hasRun: false,
      });
      if (isSettled) this.#tab.state.settle(this.#route.label, at);
      after = at;
    }
  }

  /** Try until a run is done, or the next one is due. Gives false where it is left to the version that follows. */
  async #insist(turn: Turn): Promise<boolean> {
    for (let tries = 0; ; tries += 1) {
      if (this.#isOver) return false;
      if (Date.now() >= turn.next || (await this.#attempt(turn))) return true;
      const step = Math.min(FIRST_RETRY_MS * 2 ** tries, MAX_RETRY_MS, (turn.next - turn.at) / 5);
      // Not all at once.
      await this.#pause(step * (0.75 + Math.random() / 2));
    }
  }

  /** Resolves with whether the run is done, whoever did it. */
  async #attempt(turn: Turn): Promise<boolean> {
    const { project, peers, state } = this.#tab;
    try {
      if (turn.hasRun) return await this.#mark(turn);
      if (await this.#isDone(turn)) return true;
      if (!state.mayBegin) return false;
      const work = async (held: Held): Promise<boolean> => {
        // Another process may have had it since, and this one may have been told to end.
        if (await this.#isDone(turn)) return true;
        if (!state.mayBegin || this.#isOver) return false;
        this.isRunning = true;
        const cutOff = this.#cutOff.signal;
        turn.hasRun = await execute(this.#route, project, { at: turn.at, held, cutOff });
        this.isRunning = false;
        return turn.hasRun && this.#mark(turn);
      };
      return await peers.lock(`cron.${this.#route.name}`, work, { wait: 0 });
    } catch (thrown) {
      if (!isLockTaken(thrown)) this.#miss(thrown);
      return false;
    }
  }

  async #isDone({ at }: Turn): Promise<boolean> {
    const done = await this.#done.get(String(at));
    this.#tab.isAway = false;
    return done !== undefined;
  }

  /** Say that a run is done, until the clocks of all have come to the next. Always true. */
  async #mark({ at, next }: Turn): Promise<true> {
    const clocks = this.#tab.peers.span === 'machines' ? CLOCKS_MS : 0;
    await this.#done.put(String(at), {}, Math.ceil((next - at + clocks + SLACK_MS) / 1_000));
    return true;
  }

  /** Memory and locks are away: said once, for all jobs. */
  #miss(thrown: unknown): void {
    if (this.#tab.isAway) return;
    this.#tab.isAway = true;
    const { logger } = this.#tab.project;
    if (isUnavailable(thrown)) logSafely(logger, 'warn', `Jobs of cron/ wait: ${messageOf(thrown)}`);
    else
      logSafely(
        logger,
        'error',
        'Jobs of cron/ wait, since it cannot be asked whether they have run',
        thrown,
      );
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopped.signal }).catch(() => {});
  }
}

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
