import { channel } from 'node:diagnostics_channel';
import { isObject, logFields } from 'fwkit/plugin';

/** Where a job was added, which is stored with the job: the request, and the trace as in W3C Trace Context. */
export interface JobOrigin {
  requestId?: string | undefined;
  traceparent?: string | undefined;
  tracestate?: string | undefined;
}

/** The message is `{ queue, origin }`. A tracer sets the trace of the active span. */
const JOB_ADD = channel('fwk.job.add');

/** The origin of the jobs that a job adds, a property of the origin of its scope. */
export const ORIGIN = Symbol('fwkit.queue.origin');

/** The origin of a job that is added to `queue` in the scope of a request, a call or a job. */
export function originOf(scope: unknown, queue: string): JobOrigin {
  const origin = { ...(isObject(scope) ? (Reflect.get(scope, ORIGIN) ?? requestOrigin(scope)) : {}) };
  JOB_ADD.publish({ queue, origin });
  return origin;
}

function requestOrigin(scope: object): JobOrigin {
  const { requestId, traceId } = Reflect.get(scope, logFields) ?? {};
  const headers = traceId === undefined ? {} : (Reflect.get(scope, 'raw')?.headers ?? {});
  return { requestId, traceparent: headers.traceparent, tracestate: headers.tracestate };
}

/** Read the origin that is stored with a job, in the form in which BullMQ passes on traces. */
export function parseOrigin(metadata: string | undefined): JobOrigin {
  try {
    const stored: unknown = JSON.parse(metadata ?? '{}');
    return isObject(stored) ? stored : {};
  } catch {
    return {};
  }
}

export const traceIdOf = ({ traceparent }: JobOrigin): string | undefined =>
  /^[\da-f]{2}-([\da-f]{32})-/.exec(traceparent ?? '')?.[1];
