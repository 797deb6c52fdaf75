import { channel } from 'node:diagnostics_channel';
import type { Logger } from 'fwkit';
import { guest, messageOf, type Project, scopesOf } from 'fwkit/plugin';
import { checkData, type QueueDefinition } from './queue.js';

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
  readonly options: QueueDefinition['options'];
  readonly file: string;
  readonly logger: Logger;
  /** Rejects with the error of the project's function. */
  run(job: JobToDo, signal: AbortSignal): Promise<void>;
}

/** Fails a job without another attempt. */
export class FinalFailure extends Error {}

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
  return {
    options,
    file,
    logger: project.logger,
    async run(job, signal) {
      const { id, attempt, data } = job;
      const jobRun = new JobRun(name, job);
      JOB_START.publish(jobRun);
      const scope = scopesOf(project).open(
        guest(`job ${id} of the queue "${name}"`, { queue: name, job: id, attempt }),
      );
      try {
        await Reflect.apply(run, undefined, [
          // The data may come from another release.
          await checked(data),
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
