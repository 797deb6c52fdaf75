import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Project, Runtime } from '../../../../kernel/index.js';
import { logSafely } from '../../../../scope/index.js';

/** Runs around everything that a version of a project answers. It calls `next`, or answers the request itself. */
export type Around = (raw: IncomingMessage, out: ServerResponse, next: RequestListener) => void;

/** Where an `Around` runs, outermost first. Within a stage, those that were added first are outermost. */
export const AroundStage = {
  /** Decides by `Host` and by the client whether a request is answered at all. */
  host: 0,
  /** Answers pages of development, which belong to no project. */
  pages: 1,
  /** Gives a request its id, before anything is logged about it. */
  ids: 2,
  /** Traces and measures: a request that waits behind others of its connection gets here when its turn comes. */
  observe: 3,
} as const;

export interface Layer {
  readonly stage: number;
  readonly run: Around;
}

const layers = new WeakMap<Project | Runtime, Layer[]>();

/**
 * Run `run` around every request that a version of a project answers, or, for a runtime, that any version answers, also while a
 * version is being made and while the project cannot be served. Call it for a project while resolving or in a `serve` tap of a
 * stage before `Stage.finish`, and for a runtime before its first version is served. What `run` throws is logged, and the request
 * is answered as without it. If nothing is added, requests take no longer.
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

/** `inner` inside of `around`, outermost first; `inner` itself if there is nothing around it. */
export const fold = (around: readonly Layer[], inner: RequestListener): RequestListener =>
  [...around]
    .sort((a, b) => a.stage - b.stage)
    .reduceRight<RequestListener>(
      (next, { run }) =>
        (raw, out) =>
          run(raw, out, next),
      inner,
    );

/** Calls `next` once at most, also if `run` throws. */
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
