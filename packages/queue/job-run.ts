import { channel } from 'node:diagnostics_channel';
import type { Logger } from 'fwkit';
import { guest, type Project, scopesOf } from 'fwkit/plugin';
import type { QueueDefinition } from './queue.js';

/** Channels of `node:diagnostics_channel`; the message of each is the `JobRun`. */
const JOB_START = channel('fwk.job.start');
const JOB_END = channel('fwk.job.end');
const JOB_ERROR = channel('fwk.job.error');

/** One try of a job: the message of `fwk.job.start`, `fwk.job.end` and `fwk.job.error`. */
export class JobRun {
  /** The name of its queue: `mail`. */
  readonly queue: string;
  readonly id: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** What was thrown; undefined where nothing was. */
  error: unknown;
  readonly #beganAt = performance.now();
  #endedAt: number | undefined;

  constructor(queue: string, { id, attempt }: JobToDo) {
    this.queue = queue;
    this.id = id;
    this.attempt = attempt;
  }

  /** Milliseconds since it began; when it has ended, until then. */
  get duration(): number {
    return (this.#endedAt ?? performance.now()) - this.#beganAt;
  }

  /** Internal. */
  static end(run: JobRun): void {
    run.#endedAt = performance.now();
    JOB_END.publish(run);
  }
}

/** A job as it comes from a broker. */
export interface JobToDo {
  readonly id: string;
  readonly attempt: number;
  readonly data: unknown;
}

/** What a version of a project does with the jobs of a queue. */
export interface Handler {
  readonly options: QueueDefinition<never>['options'];
  /** Its file, as people see it. */
  readonly file: string;
  /** Of the version. */
  readonly logger: Logger;
  /** Rejects with what the project's function throws. */
  run(job: JobToDo, signal: AbortSignal): Promise<void>;
}

/** What is known of a queue. */
interface Queue {
  readonly name: string;
  readonly file: string;
  readonly definition: QueueDefinition<never>;
}

/** What a version of a project does with the jobs of a queue: each has a scope of its own. */
export function handlerOf({ name, file, definition }: Queue, project: Project): Handler {
  return {
    options: definition.options,
    file: project.display(file),
    logger: project.logger,
    async run(job, signal) {
      const { id, attempt, data } = job;
      const told = new JobRun(name, job);
      JOB_START.publish(told);
      const scope = scopesOf(project).open(
        guest(`job ${id} of the queue "${name}"`, { queue: name, job: id, attempt }),
      );
      try {
        // The data is what another process gave: the types of the project vouch for it.
        await Reflect.apply(definition.run, undefined, [
          data,
          scope.ctx,
          Object.freeze({ id, attempt, signal }),
        ]);
      } catch (thrown) {
        told.error = thrown;
        JOB_ERROR.publish(told);
        throw thrown;
      } finally {
        await scope.close();
        JobRun.end(told);
      }
    },
  };
}
