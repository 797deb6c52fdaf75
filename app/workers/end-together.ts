import { setTimeout } from 'node:timers/promises';
import type { ListeningSockets } from './listening-sockets.js';
import type { Ending, WorkerProcess } from './worker-process.js';

/** Milliseconds that those who are to end wait for each other. One that computes hears of nothing. */
const COORDINATION_TIMEOUT_MS = 1_000;

/**
 * End all workers. They are not ready any more, and answer for `http.drainDelay`; then nobody listens; then each accepts what has
 * been passed to it; and only then clients hear of the end, or they would open other connections in vain. Resolves with how
 * those ended that have served.
 */
export async function endTogether(
  workers: Iterable<WorkerProcess>,
  sockets: ListeningSockets,
): Promise<readonly Ending[]> {
  const all = [...workers];
  const serving = all.filter(({ readyAt }) => readyAt !== undefined);
  for (const worker of all) worker.stop('announce');
  const drainDelay = Math.max(0, ...serving.map((worker) => worker.drainDelay));
  if (drainDelay > 0) {
    await heardFrom(serving.map(({ announced }) => announced));
    await setTimeout(drainDelay);
  }
  const urls = await Promise.all(serving.map(({ ready }) => ready));
  await sockets.close(new Set(urls.flatMap((some) => some ?? []).map(portOf)));
  for (const worker of serving) worker.stop('stop');
  await heardFrom(serving.map(({ refusing }) => refusing));
  for (const worker of serving) worker.stop('finish');
  return Promise.all(serving.map(({ ended }) => ended));
}

/** Wait until all have answered, but not for one that computes. */
async function heardFrom(answers: readonly Promise<unknown>[]): Promise<void> {
  await Promise.race([Promise.all(answers), setTimeout(COORDINATION_TIMEOUT_MS)]);
}

/** A URL leaves out the port that is usual. */
const portOf = (url: string): number => Number(new URL(url).port || 80);
