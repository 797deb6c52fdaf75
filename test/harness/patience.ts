import { availableParallelism, loadavg } from 'node:os';

/** How long to wait for a step that takes far less, in milliseconds: longer if more processes want to run than the machine has cores. */
export function patience(ms = 10_000): number {
  const [load = 0] = loadavg();
  return Math.round(ms * Math.max(1, load / availableParallelism()));
}
