import { channel } from 'node:diagnostics_channel';
import type { Logger, RuntimeCtx } from 'fwkit';
import { coded, guest, logSafely, messageOf, notJson, type Project, scopesOf } from 'fwkit/plugin';
import { type JobOrigin, ORIGIN, traceIdOf } from './origin.js';
import { checkData, type Job, type Progress, type QueueDefinition } from './queue.js';

/** Channels of `node:diagnostics_channel`; the message of each is the `JobRun`. */
const JOB_START = channel('fwk.job.start');
const JOB_END = channel('fwk.job.end');
const JOB_ERROR = channel('fwk.job.error');

/** Calls `next`, and returns its result. */
type Around = <T>(next: () => T) => T;

/** One attempt to run a job: the message of `fwk.job.start`, `fwk.job.end` and `fwk.job.error`. */
export class JobRun {
  readonly id: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** The request that added the job, and its trace. */
  readonly origin: JobOrigin;
  /** The error that was thrown; undefined if the attempt did not throw. */
  error: unknown;
  readonly #beganAt = performance.now();
  #endedAt: number | undefined;

  readonly #around: Around[] = [];

  constructor(
    /** The name of its queue: `mail`. */
    readonly queue: string,
    { id, attempt, origin }: JobToDo,
  ) {
    this.id = id;
    this.attempt = attempt;
    this.origin = origin;
  }

  /** Run `around` around the function of the job, for example to set a context. Call it while `fwk.job.start` is published. */
  wrap(around: Around): void {
    this.#around.push(around);
  }

  /** Milliseconds from the start until the end, or until now while the job runs. */
  get duration(): number {
    return (this.#endedAt ?? performance.now()) - this.#beganAt;
  }

  static run<T>(run: JobRun, work: () => Promise<T>): Promise<T> {
    return run.#around.reduceRight<() => Promise<T>>((inner, around) => () => around(inner), work)();
  }

  static end(run: JobRun): void {
    run.#endedAt = performance.now();
    JOB_END.publish(run);
  }
}

export interface JobToDo {
  readonly id: string;
  readonly attempt: number;
  readonly data: unknown;
  readonly origin: JobOrigin;
  /** Store the progress of the job. */
  readonly report: (progress: Progress) => void;
}

/** The part of an AbortController that a run uses. */
export interface Stop {
  readonly signal: AbortSignal;
  abort(reason: Error): void;
}

/** Runs the jobs of one queue in one version of a project. */
export interface Handler {
  readonly options: QueueDefinition['options'];
  readonly file: string;
  readonly logger: Logger;
  /** The logger for a job, with the fields that lines of its function have. */
  loggerOf(job: JobToDo): Logger;
  /**
   * Resolves with the result as JSON stores it. Rejects with the error of the project's function, or when its time is over. Then `stop`
   * aborts, while the function may still run.
   */
  run(job: JobToDo, stop: Stop): Promise<unknown>;
  /** Calls the function for failed jobs, if the queue has one. Never rejects. */
  failed(job: JobToDo, error: Error): Promise<void>;
}

/** Fails a job without another attempt. */
export class FinalFailure extends Error {}

/** Ends an attempt, and runs the job again later. */
export class RetryLater extends Error {
  constructor(
    /** Milliseconds. */
    readonly delay: number,
  ) {
    super(`The job runs again in ${delay / 1_000} seconds`);
  }
}

/** The maximum size of a stored result in characters, as JSON. */
const MAX_RESULT_LENGTH = 1_048_576;
/** The property of a stored result that gives the reason why there is none. */
export const NOT_STORED = 'fwk.notStored';

function storableResult(result: unknown): unknown {
  if (result === undefined) return undefined;
  const wrong = notJson(result, 'the result');
  if (wrong !== undefined) return { [NOT_STORED]: `${wrong}, which JSON cannot represent` };
  const { length } = JSON.stringify(result);
  if (length <= MAX_RESULT_LENGTH) return result;
  return {
    [NOT_STORED]: `the result has ${length} characters as JSON, and the limit is ${MAX_RESULT_LENGTH}`,
  };
}

function jobApi({ id, attempt, report }: JobToDo, stop: Stop): Job {
  return Object.freeze<Job>({
    id,
    attempt,
    get signal() {
      return stop.signal;
    },
    fail(reason) {
      throw new FinalFailure(String(reason));
    },
    retryIn(seconds) {
      if (Number.isFinite(seconds) && seconds >= 0) throw new RetryLater(Math.round(seconds * 1_000));
      throw coded('FWK833', `job.retryIn() needs a number of seconds, at least 0, not ${String(seconds)}.`);
    },
    progress: (done, total) => report({ done, total }),
  });
}

async function withTimeout<T>(work: Promise<T>, timeout: number, stop: Stop): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new Error(`The job did not end within ${timeout} ms (the option "timeout" of its queue)`);
      stop.abort(error);
      reject(error);
    }, timeout);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

interface Queue {
  readonly name: string;
  readonly file: string;
  readonly definition: QueueDefinition;
}

export function handlerOf({ name, file: path, definition }: Queue, project: Project): Handler {
  const file = project.display(path);
  const { options, schema, run } = definition;
  const checked = async (data: unknown): Promise<unknown> => {
    try {
      return await checkData(schema, data, `The data does not match the schema in ${file}`);
    } catch (cause) {
      throw new FinalFailure(
        `${messageOf(cause)}. The job may come from another release: give new properties a default in the schema.`,
      );
    }
  };
  const fieldsOf = ({ id, attempt, origin }: JobToDo): Record<string, unknown> => {
    const { requestId } = origin;
    return { requestId, route: `QUEUE ${name}`, traceId: traceIdOf(origin), queue: name, job: id, attempt };
  };
  const loggerOf = (job: JobToDo): Logger => {
    try {
      return project.logger.child(fieldsOf(job));
    } catch {
      return project.logger;
    }
  };
  /** Call `work` with a `ctx` of the job. */
  const inScope = async (job: JobToDo, work: (ctx: RuntimeCtx) => unknown): Promise<unknown> => {
    const visitor = guest(`job ${job.id} of the queue "${name}"`, fieldsOf(job));
    const scope = scopesOf(project).open(Object.assign(visitor, { [ORIGIN]: job.origin }));
    try {
      return await work(scope.ctx);
    } finally {
      await scope.close();
    }
  };
  return {
    options,
    file,
    logger: project.logger,
    loggerOf,
    async run(job, stop) {
      const jobRun = new JobRun(name, job);
      JOB_START.publish(jobRun);
      const work = () =>
        inScope(job, async (ctx) =>
          // The data may come from another release.
          Reflect.apply(run, undefined, [await checked(job.data), ctx, jobApi(job, stop)]),
        );
      try {
        const { timeout } = options;
        const running = JobRun.run(jobRun, work);
        const done = timeout === undefined ? running : withTimeout(running, timeout, stop);
        return storableResult(await done);
      } catch (thrown) {
        if (!(thrown instanceof RetryLater)) {
          jobRun.error = thrown;
          JOB_ERROR.publish(jobRun);
        }
        throw thrown;
      } finally {
        JobRun.end(jobRun);
      }
    },
    async failed(job, error) {
      const { id, data, attempt } = job;
      try {
        if (options.failed) await inScope(job, (ctx) => options.failed?.({ id, data, attempt, error }, ctx));
      } catch (thrown) {
        logSafely(loggerOf(job), 'error', `${file}: "failed" has thrown for job ${id}`, thrown);
      }
    },
  };
}
