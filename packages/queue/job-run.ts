import { channel } from 'node:diagnostics_channel';
import type { Logger } from 'fwkit';
import { guest, type Project, scopesOf } from 'fwkit/plugin';
import type { QueueDefinition } from './queue.js';

/** Channels of `node:diagnostics_channel`; the message of each is the `JobRun`. */
const JOB_START = channel('fwk.job.start');
const JOB_END = channel('fwk.job.end');
const JOB_ERROR = channel('fwk.job.error');

/** One attempt to run a job: the message of `fwk.job.start`, `fwk.job.end` and `fwk.job.error`. */
export class JobRun {
  /** The name of its queue: `mail`. */
  readonly queue: string;
  readonly id: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** The error that was thrown; undefined if the attempt did not throw. */
  error: unknown;
  readonly #beganAt = performance.now();
  #endedAt: number | undefined;

  constructor(queue: string, { id, attempt }: JobToDo) {
    this.queue = queue;
    this.id = id;
    this.attempt = attempt;
  }

  /** Milliseconds from the start until the end, or until now while the job runs. */
  get duration(): number {
    return (this.#endedAt ?? performance.now()) - this.#beganAt;
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
}

/** Runs the jobs of one queue in one version of a project. */
export interface Handler {
  readonly options: QueueDefinition<never>['options'];
  readonly file: string;
  readonly logger: Logger;
  /** Rejects with the error of the project's function. */
  run(job: JobToDo, signal: AbortSignal): Promise<void>;
}

interface Queue {
  readonly name: string;
  readonly file: string;
  readonly definition: QueueDefinition<never>;
}

export function handlerOf({ name, file, definition }: Queue, project: Project): Handler {
  return {
    options: definition.options,
    file: project.display(file),
    logger: project.logger,
    async run(job, signal) {
      const { id, attempt, data } = job;
      const jobRun = new JobRun(name, job);
      JOB_START.publish(jobRun);
      const scope = scopesOf(project).open(
        guest(`job ${id} of the queue "${name}"`, { queue: name, job: id, attempt }),
      );
      try {
        // The data comes from another process and is not validated. Only the types of the project check it.
        await Reflect.apply(definition.run, undefined, [
          data,
          scope.ctx,
          Object.freeze({ id, attempt, signal }),
        ]);
      } catch (thrown) {
        jobRun.error = thrown;
        JOB_ERROR.publish(jobRun);
        throw thrown;
      } finally {
        await scope.close();
        JobRun.end(jobRun);
      }
    },
  };
}
