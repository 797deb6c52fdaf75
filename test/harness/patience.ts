import { availableParallelism, loadavg } from 'node:os';

/** The longest that load extends a wait to, in milliseconds: a test that hangs fails while its output still helps. */
const MAX_PATIENCE_MS = 60_000;

/** How long to wait for a step that takes far less, in milliseconds: longer if more processes want to run than the machine has cores. */
export function patience(ms = 10_000): number {
  const [load = 0] = loadavg();
  const extended = Math.round(ms * Math.max(1, load / availableParallelism()));
  return Math.max(ms, Math.min(extended, MAX_PATIENCE_MS));
}

/** The same promise, which rejects with the error that `late` returns for the limit once `patience(ms)` has passed. */
export function withPatience<Value>(
  promise: Promise<Value>,
  late: (limit: number) => Error,
  ms?: number,
): Promise<Value> {
  const limit = patience(ms);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late(limit)), limit);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
