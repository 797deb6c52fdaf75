import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Project, Runtime } from '../../../../kernel/index.js';
import { logSafely } from '../../../../scope/index.js';

/** Runs around every request to a version of a project. It calls `next`, or answers the request itself. */
export type Around = (raw: IncomingMessage, out: ServerResponse, next: RequestListener) => void;

/** Where an `Around` runs, outermost first. Within a stage, the first one added is outermost. */
export const AroundStage = {
  /** Decides by `Host` and by the client whether a request is answered at all. */
  host: 0,
  /** Serves development pages, which belong to no project. */
  pages: 1,
  /** Gives a request its id, before anything is logged about it. */
  ids: 2,
  /** Tracing and metrics. A pipelined request reaches this stage when its turn comes. */
  observe: 3,
} as const;

export interface Layer {
  readonly stage: number;
  readonly run: Around;
}

const layers = new WeakMap<Project | Runtime, Layer[]>();

/**
 * Run `run` around every request to a version of a project, or, for a runtime, around every request to any version, also
 * while a version is being created and while the project can't be served. For a project, call it while resolving or in a
 * `serve` tap of a stage before `Stage.finish`; for a runtime, before its first version is served. If `run` throws, the error
 * is logged and the request is answered as if `run` didn't exist. Costs nothing if nothing is added.
 */
export function around(
  owner: Project | Runtime,
  { name, stage }: { readonly name: string; readonly stage: number },
  run: Around,
): void {
  const failed = (thrown: unknown): void => {
    const message = `"${name}" failed around a request`;
    if ('logger' in owner) logSafely(owner.logger, 'error', message, thrown);
    else console.error(`${message}:`, thrown);
  };
  const own = layers.get(owner) ?? [];
  layers.set(owner, own);
  own.push({ stage, run: answeringOnce(run, failed) });
}

export const layersAround = (owner: Project | Runtime): readonly Layer[] => layers.get(owner) ?? [];

/** Put `around` around `inner`, outermost first. Returns `inner` itself if `around` is empty. */
export const fold = (around: readonly Layer[], inner: RequestListener): RequestListener =>
  [...around]
    .sort((a, b) => a.stage - b.stage)
    .reduceRight<RequestListener>(
      (next, { run }) =>
        (raw, out) =>
          run(raw, out, next),
      inner,
    );

/** Calls `next` at most once, also if `run` throws. */
const answeringOnce =
  (run: Around, failed: (thrown: unknown) => void): Around =>
  (raw, out, next) => {
    let isPassedOn = false;
    const once: RequestListener = (...request) => {
      if (isPassedOn) return;
      isPassedOn = true;
      next(...request);
    };
    try {
      run(raw, out, once);
    } catch (thrown) {
      failed(thrown);
      once(raw, out);
    }
  };
